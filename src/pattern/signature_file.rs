//! Signature files read and checked.

use super::constraint::{Applies, Condition, LogCondition};
use super::fields::Fields;
use super::message::{field, field_hint, kernel};
use super::signature::{
    Action, Confidence, Count, IfUnknown, Layer, Lead, Never, Reason, Role, Scope, Severity,
    Signature, Status, Step, Unsaid, Window,
};
use super::source::{At, Place, Sources, suggestion};
use super::template::Template;
use super::wanted_file::wanted;
use crate::kind::Kind;
use crate::value::{DeviceKind, Micros};

/// A signature as read, with the places of the names that other files must explain.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The signature.
    pub signature: At<Signature>,
    /// Names of other signatures.
    pub signatures: Vec<At<String>>,
    /// Names of advice.
    pub advice: Vec<At<String>>,
}

/// Names that must be explained elsewhere in the file, collected while reading.
#[derive(Default)]
struct Names {
    /// Steps and nevers used by conditions, windows and texts.
    conditions: Vec<At<Condition>>,
    steps: Vec<At<String>>,
    texts: Vec<At<Template>>,
}

/// Reads a signature file; `None` where a mistake leaves nothing to work with.
pub(super) fn read(sources: &mut Sources<'_>, mut root: Fields<'_>) -> Option<Loaded> {
    let mut names = Names::default();
    let id = root.required_text(sources, "id");
    let place = root.place().clone();
    let unless = root.texts(sources, "unless");
    let leads = leads(sources, &mut root, &mut names);
    let actions = actions(sources, &mut root, &mut names);
    let mut signature = signature(sources, &mut root, &mut names);
    root.finish(sources);
    signature.id = id.as_ref().map(|id| id.value.clone()).unwrap_or_default();
    signature.unless = unless.iter().map(|at| at.value.clone()).collect();
    signature.leads = leads.iter().map(|lead| lead.value.clone()).collect();
    signature.actions = actions.iter().map(|action| action.value.clone()).collect();
    check(sources, &signature, &names, &place);
    let led = leads.into_iter().map(|lead| At { value: lead.value.over, place: lead.place });
    Some(Loaded {
        signature: At { value: signature, place: id?.place },
        signatures: unless.into_iter().chain(led).collect(),
        advice: actions
            .into_iter()
            .map(|action| At { value: action.value.advice, place: action.place })
            .collect(),
    })
}

fn signature(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Signature {
    // A word that is not known is noted and replaced, so that what else is wrong is found, too.
    let title = root.required_text(sources, "title").map(|at| at.value).unwrap_or_default();
    let severity = word(sources, root, "severity", Severity::names(), Severity::read);
    let status = word(sources, root, "status", Status::NAMES, Status::read);
    let roles = words(sources, root, "role", Role::names(), Role::read);
    let layers = words(sources, root, "layer", Layer::names(), Layer::read);
    root.require(sources, "blame", false);
    let blame = root.integer(sources, "blame");
    let scope = match root.text(sources, "scope") {
        Some(text) => one_of(sources, &text, Scope::NAMES, Scope::read),
        None => Some(Scope::Incident),
    };
    let (summary, explain) = texts(sources, root, names);
    Signature {
        id: String::new(),
        title,
        severity_if: severity_if(sources, root, names),
        notice: root.flag(sources, "notice"),
        lead: span(sources, root, "lead").unwrap_or_default(),
        applies: applies(sources, root),
        steps: steps(sources, root, names),
        nevers: nevers(sources, root, names),
        confidence: confidence(sources, root, names),
        unsaid: unsaid(sources, root, names),
        references: references(sources, root),
        unless: Vec::new(),
        leads: Vec::new(),
        actions: Vec::new(),
        severity: severity.unwrap_or(Severity::Info),
        roles,
        status: status.unwrap_or(Status::Experimental),
        layers,
        blame: blame.map_or(0, |at| at.value),
        scope: scope.unwrap_or(Scope::Incident),
        summary,
        explain,
    }
}

pub(super) fn one_of<T>(
    sources: &mut Sources<'_>,
    text: &At<String>,
    known: &'static [&'static str],
    read: fn(&str) -> Option<T>,
) -> Option<T> {
    let found = read(&text.value);
    if found.is_none() {
        let hint = suggestion(&text.value, known.iter().copied())
            .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
        sources.mistake_with_hint(&text.place, format!("`{}` is not known here", text.value), hint);
    }
    found
}

pub(super) fn word<T>(
    sources: &mut Sources<'_>,
    root: &mut Fields<'_>,
    key: &'static str,
    known: &'static [&'static str],
    read: fn(&str) -> Option<T>,
) -> Option<T> {
    let text = root.required_text(sources, key)?;
    one_of(sources, &text, known, read)
}

pub(super) fn words<T>(
    sources: &mut Sources<'_>,
    root: &mut Fields<'_>,
    key: &'static str,
    known: &'static [&'static str],
    read: fn(&str) -> Option<T>,
) -> Vec<T> {
    let texts = root.texts(sources, key);
    root.require(sources, key, !texts.is_empty());
    texts.iter().filter_map(|text| one_of(sources, text, known, read)).collect()
}

/// Reads a span: `500ms`, `60s`, `5min`.
fn span(sources: &mut Sources<'_>, fields: &mut Fields<'_>, key: &'static str) -> Option<Micros> {
    let text = fields.text(sources, key)?;
    let digits = text.value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text.value[digits.len()..] {
        "ms" => Some(1_000),
        "s" => Some(1_000_000),
        "min" => Some(60_000_000),
        _ => None,
    };
    let found =
        unit.zip(digits.parse::<i64>().ok()).filter(|(_, number)| (0..1_000_000).contains(number));
    if found.is_none() {
        sources.mistake(&text.place, "a span is written as 500ms, 60s or 5min");
    }
    found.map(|(unit, number)| Micros(number * unit))
}

fn condition(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    names: &mut Names,
) -> Option<Condition> {
    let text = fields.text(sources, "when")?;
    if let Ok(condition) = text.value.parse::<Condition>() {
        names.conditions.push(At { value: condition.clone(), place: text.place });
        return Some(condition);
    }
    let known = LogCondition::names().collect::<Vec<_>>();
    let hint = suggestion(&text.value, known.iter().copied()).unwrap_or_else(|| {
        format!(
            "write `step NAME`, `no step NAME`, `unknown NAME`, `gfx gfx11*`, `kind apu`, \
             `kernel >=6.10`, `outcome failed`, or one of {}",
            known.join(", ")
        )
    });
    sources.mistake_with_hint(&text.place, format!("`{}` is no condition", text.value), hint);
    None
}

fn template(sources: &mut Sources<'_>, text: At<String>, names: &mut Names) -> Template {
    if let Ok(template) = Template::parse(&text.value) {
        names.texts.push(At { value: template.clone(), place: text.place });
        return template;
    }
    sources.mistake(&text.place, "a brace in this text has no partner");
    Template::default()
}

fn texts(
    sources: &mut Sources<'_>,
    root: &mut Fields<'_>,
    names: &mut Names,
) -> (Template, Template) {
    let Some(mut table) = root.table(sources, "text") else {
        root.require(sources, "text", false);
        return Default::default();
    };
    let mut read = |key| {
        let text = table.required_text(sources, key);
        text.map(|text| template(sources, text, names)).unwrap_or_default()
    };
    let found = (read("summary"), read("explain"));
    table.finish(sources);
    found
}

fn unsaid(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Vec<Unsaid> {
    let mut found = Vec::new();
    for mut table in root.tables(sources, "unsaid") {
        let text = table.required_text(sources, "text");
        let when = condition(sources, &mut table, names);
        table.finish(sources);
        found.extend(text.map(|text| Unsaid { text: template(sources, text, names), when }));
    }
    found
}

fn severity_if(
    sources: &mut Sources<'_>,
    root: &mut Fields<'_>,
    names: &mut Names,
) -> Vec<(Condition, Severity)> {
    let mut found = Vec::new();
    for mut table in root.tables(sources, "severity_if") {
        let when = condition(sources, &mut table, names);
        table.require(sources, "when", false);
        let severity = word(sources, &mut table, "severity", Severity::names(), Severity::read);
        table.finish(sources);
        found.extend(when.zip(severity));
    }
    found
}

fn confidence(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Confidence {
    let Some(mut table) = root.table(sources, "confidence") else {
        root.require(sources, "confidence", false);
        return Confidence::default();
    };
    table.require(sources, "base", false);
    let base = share(sources, &mut table, "base");
    let mut reasons = reasons(sources, &mut table, "raise", 1.0, names);
    reasons.extend(self::reasons(sources, &mut table, "lower", -1.0, names));
    table.finish(sources);
    Confidence { base, reasons }
}

fn share(sources: &mut Sources<'_>, table: &mut Fields<'_>, key: &'static str) -> f64 {
    let Some(number) = table.number(sources, key) else { return 0.0 };
    if !(0.0..=1.0).contains(&number.value) {
        sources.mistake(&number.place, format!("`{key}` lies between 0 and 1"));
    }
    number.value
}

fn reasons(
    sources: &mut Sources<'_>,
    table: &mut Fields<'_>,
    key: &'static str,
    sign: f64,
    names: &mut Names,
) -> Vec<Reason> {
    let mut found = Vec::new();
    for mut reason in table.tables(sources, key) {
        let when = condition(sources, &mut reason, names);
        reason.require(sources, "when", false);
        reason.require(sources, "by", false);
        let by = sign * share(sources, &mut reason, "by");
        let because = reason.required_text(sources, "because");
        reason.finish(sources);
        found.extend(when.zip(because).map(|(when, because)| Reason {
            when,
            by,
            because: because.value,
        }));
    }
    found
}

fn leads(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Vec<At<Lead>> {
    let mut found = Vec::new();
    for mut table in root.tables(sources, "leads") {
        let over = table.required_text(sources, "over");
        let when = condition(sources, &mut table, names);
        table.finish(sources);
        found.extend(
            over.map(|over| At { value: Lead { over: over.value, when }, place: over.place }),
        );
    }
    found
}

fn actions(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Vec<At<Action>> {
    let mut found = Vec::new();
    for mut table in root.tables(sources, "action") {
        let advice = table.required_text(sources, "use");
        let when = condition(sources, &mut table, names);
        table.finish(sources);
        found.extend(advice.map(|advice| At {
            value: Action { advice: advice.value, when },
            place: advice.place,
        }));
    }
    found
}

fn references(sources: &mut Sources<'_>, root: &mut Fields<'_>) -> Vec<String> {
    let links = root.texts(sources, "references");
    for link in links.iter().filter(|link| !link.value.starts_with("https://")) {
        sources.mistake(&link.place, "a reference is an address that begins with https://");
    }
    links.into_iter().map(|link| link.value).collect()
}

fn applies(sources: &mut Sources<'_>, root: &mut Fields<'_>) -> Applies {
    let Some(mut table) = root.table(sources, "applies") else { return Applies::default() };
    let gfx = table.texts(sources, "gfx");
    for pattern in gfx.iter().filter(|pattern| !pattern.value.starts_with("gfx")) {
        sources.mistake(&pattern.place, "a chip is written as gfx1100, gfx110* or gfx11*");
    }
    let kind = table.text(sources, "kind").and_then(|text| match text.value.as_str() {
        "apu" => Some(DeviceKind::Apu),
        "dgpu" => Some(DeviceKind::Dgpu),
        other => {
            sources.mistake(&text.place, format!("`{other}` is no kind of GPU: write apu or dgpu"));
            None
        }
    });
    let kernel = kernel(sources, &mut table);
    table.finish(sources);
    Applies { gfx: gfx.into_iter().map(|at| at.value).collect(), kind, kernel }
}

fn window(sources: &mut Sources<'_>, table: &mut Fields<'_>, names: &mut Names) -> Window {
    let after = table.text(sources, "after");
    let before = table.text(sources, "before");
    names.steps.extend(after.iter().chain(&before).cloned());
    if let (Some(_), Some(before)) = (&after, &before) {
        sources.mistake(&before.place, "a step is placed by `after` or by `before`, not by both");
    }
    Window {
        after: after.map(|at| at.value),
        before: before.map(|at| at.value),
        within: span(sources, table, "within"),
    }
}

fn steps(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Vec<Step> {
    let tables = root.tables(sources, "step");
    root.require(sources, "step", !tables.is_empty());
    let mut steps: Vec<Step> = Vec::new();
    for mut table in tables {
        let name = table.required_text(sources, "name");
        let wanted = wanted(sources, &mut table);
        let step = Step {
            optional: table.flag(sources, "optional"),
            window: window(sources, &mut table, names),
            count: count(sources, &mut table),
            whole_boot: whole_boot(sources, &mut table),
            same: same(sources, &mut table, &wanted.all_kinds()),
            name: name.as_ref().map(|name| name.value.clone()).unwrap_or_default(),
            wanted,
        };
        table.finish(sources);
        if let Some(name) = name.filter(|name| steps.iter().any(|step| step.name == name.value)) {
            sources.mistake(&name.place, format!("there are two steps called `{}`", name.value));
        }
        steps.push(step);
    }
    steps
}

/// Reads `reach`: `incident`, which is usual, or `boot`.
fn whole_boot(sources: &mut Sources<'_>, table: &mut Fields<'_>) -> bool {
    let Some(text) = table.text(sources, "reach") else { return false };
    if !matches!(text.value.as_str(), "incident" | "boot") {
        sources.mistake(&text.place, "`reach` is incident or boot");
    }
    text.value == "boot"
}

fn nevers(sources: &mut Sources<'_>, root: &mut Fields<'_>, names: &mut Names) -> Vec<Never> {
    let mut nevers = Vec::new();
    for mut table in root.tables(sources, "never") {
        let name = table.required_text(sources, "name");
        let never = Never {
            wanted: wanted(sources, &mut table),
            window: window(sources, &mut table, names),
            unknown: if_unknown(sources, &mut table, names),
            name: name.map(|name| name.value).unwrap_or_default(),
        };
        if never.window.after.is_none() && never.window.before.is_none() {
            sources.mistake(table.place(), "a `never` says `after` or `before` which step");
        }
        table.finish(sources);
        nevers.push(never);
    }
    nevers
}

fn if_unknown(sources: &mut Sources<'_>, table: &mut Fields<'_>, names: &mut Names) -> IfUnknown {
    if table.value("unknown").is_some_and(|unknown| unknown.value.as_table().is_some()) {
        let Some(mut needs) = table.table(sources, "unknown") else { return IfUnknown::Accept };
        let step = needs.required_text(sources, "needs");
        needs.finish(sources);
        names.steps.extend(step.iter().cloned());
        return step.map_or(IfUnknown::Accept, |step| IfUnknown::Needs(step.value));
    }
    match table.text(sources, "unknown") {
        None => IfUnknown::Accept,
        Some(text) => match text.value.as_str() {
            "accept" => IfUnknown::Accept,
            "reject" => IfUnknown::Reject,
            _ => {
                sources.mistake(&text.place, "`unknown` is accept, reject or { needs = \"STEP\" }");
                IfUnknown::Accept
            }
        },
    }
}

fn count(sources: &mut Sources<'_>, table: &mut Fields<'_>) -> Option<Count> {
    let mut count = table.table(sources, "count")?;
    let min = count.integer(sources, "min");
    count.require(sources, "min", min.is_some());
    let within = span(sources, &mut count, "within");
    count.finish(sources);
    let min = min?;
    match usize::try_from(min.value).ok().filter(|min| *min > 0) {
        Some(min) => Some(Count { min, within }),
        None => {
            sources.mistake(&min.place, "a step needs at least one event");
            None
        }
    }
}

fn same(sources: &mut Sources<'_>, table: &mut Fields<'_>, kinds: &[Kind]) -> Vec<String> {
    let names = table.texts(sources, "same");
    for name in names.iter().filter(|name| field(kinds, &name.value).is_none()) {
        let what = format!("this event has no field `{}`", name.value);
        sources.mistake_with_hint(&name.place, what, field_hint(kinds, &name.value));
    }
    names.into_iter().map(|name| name.value).collect()
}

/// What a text may show beside the fields of steps.
const PLAIN_SLOTS: [&str; 5] = ["device", "chip", "kernel", "process", "override"];
/// What a text may show of every step.
const STEP_SLOTS: [&str; 2] = ["times", "line"];

fn check(sources: &mut Sources<'_>, signature: &Signature, names: &Names, place: &Place) {
    if signature.steps.iter().all(|step| step.optional || step.whole_boot) {
        sources.mistake(place, "a signature needs a step of the incident that is not optional");
    }
    for step in signature.steps.iter().filter(|step| step.whole_boot) {
        if step.window != Window::default() || !step.same.is_empty() {
            let what = format!("step `{}` reaches over the boot and has no place in it", step.name);
            sources.mistake(place, what);
        }
    }
    for (index, step) in signature.steps.iter().enumerate().filter(|(_, step)| !step.optional) {
        let Some(name) = step.window.after.as_ref().or(step.window.before.as_ref()) else {
            continue;
        };
        let earlier = signature.steps.iter().take(index).any(|s| s.name == *name && !s.optional);
        if signature.step(name).is_some() && !earlier {
            let what = format!(
                "step `{}` is placed by `{name}`, which must be an earlier step that is not optional",
                step.name
            );
            sources.mistake(place, what);
        }
    }
    for name in &names.steps {
        if signature.step(&name.value).is_none() {
            unknown_step(sources, signature, &name.value, &name.place);
        }
    }
    for condition in &names.conditions {
        check_condition(sources, signature, &condition.value, &condition.place);
    }
    for text in &names.texts {
        for path in text.value.paths() {
            check_slot(sources, signature, path, &text.place);
        }
    }
}

fn unknown_step(sources: &mut Sources<'_>, signature: &Signature, name: &str, place: &Place) {
    let steps = || signature.steps.iter().map(|step| step.name.as_str());
    let hint = suggestion(name, steps())
        .unwrap_or_else(|| format!("its steps are {}", steps().collect::<Vec<_>>().join(", ")));
    sources.mistake_with_hint(place, format!("there is no step `{name}`"), hint);
}

fn check_condition(
    sources: &mut Sources<'_>,
    signature: &Signature,
    condition: &Condition,
    place: &Place,
) {
    match condition {
        Condition::Step(name) | Condition::NoStep(name) => match signature.step(name) {
            None => unknown_step(sources, signature, name, place),
            Some(step) if !step.optional => {
                let what = format!("`{name}` is not optional, so this never changes");
                sources.mistake(place, what);
            }
            Some(_) => {}
        },
        Condition::Unknown(name) => {
            if !signature.nevers.iter().any(|never| never.name == *name) {
                sources.mistake(place, format!("there is no `never` called `{name}`"));
            }
        }
        Condition::Not(inner) => check_condition(sources, signature, inner, place),
        Condition::All(inner) => {
            for one in inner {
                check_condition(sources, signature, one, place);
            }
        }
        Condition::Log(_)
        | Condition::Gfx(_)
        | Condition::Kind(_)
        | Condition::Kernel(_)
        | Condition::Outcome(_) => {}
    }
}

fn check_slot(sources: &mut Sources<'_>, signature: &Signature, path: &str, place: &Place) {
    let Some((name, field_name)) = path.split_once('.') else {
        if !PLAIN_SLOTS.contains(&path) {
            let hint = format!("write STEP.FIELD, or one of {}", PLAIN_SLOTS.join(", "));
            sources.mistake_with_hint(place, format!("`{{{path}}}` stands for nothing"), hint);
        }
        return;
    };
    if signature.nevers.iter().any(|never| never.name == name) && field_name == "seen" {
        return;
    }
    match signature.step(name) {
        None => unknown_step(sources, signature, name, place),
        Some(step)
            if STEP_SLOTS.contains(&field_name)
                || field(&step.wanted.all_kinds(), field_name).is_some() => {}
        Some(step) => {
            let what = format!("step `{name}` has no field `{field_name}`");
            sources.mistake_with_hint(
                place,
                what,
                field_hint(&step.wanted.all_kinds(), field_name),
            );
        }
    }
}
