//! Checks that the parts of a signature are consistent and that its references resolve.

use super::constraint::Condition;
use super::document::{Node, Table};
use super::message::{field, field_hint};
use super::signature::{
    AsNotice, Cause, CauseIf, Certainty, Count, Never, Reason, Scope, Severity, Signature, Step,
    Window,
};
use super::source::{Noun, hint};
use super::template::Template;

/// Placeholders in texts other than fields of steps.
const PLAIN_SLOTS: [&str; 6] = ["device", "driver", "chip", "kernel", "process", "override"];
/// Placeholders that every step has.
const STEP_SLOTS: [&str; 5] = ["times", "line", "lines", "device", "devices"];

/// Placeholders of steps whose events have a stack.
const OF_A_STACK: [&str; 2] = ["driver_function", "crash_site"];

impl Table<'_> {
    /// Reads the scope of a step: `incident` (the default) or `boot`.
    pub(super) fn whole_boot(&self, key: &'static str) -> Option<bool> {
        let Some(reach) = self.get(key) else { return Some(false) };
        match reach.text() {
            Some("incident") => Some(false),
            Some("boot") => Some(true),
            Some(_) | None => {
                reach.mistake(format!("`{key}` is incident or boot"));
                None
            }
        }
    }
}

impl Window {
    pub(super) fn check(&self, table: &Table<'_>) {
        let what = "a step is placed by `after` or by `before`, not by both";
        table.mistake_at("before", self.after.is_some(), what);
    }

    /// The step that it is relative to, if one is named.
    pub(crate) fn named(&self) -> Option<&String> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

impl Count {
    pub(super) fn check(&self, table: &Table<'_>) {
        table.mistake_at("min", self.min == 0, "a step needs at least one event");
    }
}

impl Never {
    pub(super) fn check(&self, table: &Table<'_>) {
        if self.window.named().is_none() {
            table.mistake("a `never` says `after` or `before` which step");
        }
    }
}

impl Reason {
    pub(super) fn check(&self, table: &Table<'_>) {
        check_share(table, "by", self.by);
    }
}

impl CauseIf {
    pub(super) fn check(&self, table: &Table<'_>) {
        check_cause(table, self.cause, &self.candidates, self.shown.as_ref());
    }
}

/// Candidates are required with `cause = "candidates"` and forbidden otherwise; only a known cause
/// is shown.
fn check_cause(table: &Table<'_>, cause: Cause, candidates: &[String], shown: Option<&Template>) {
    let has = !candidates.is_empty();
    let has_some = cause == Cause::Candidates;
    table.mistake_at("cause", has_some && !has, "`candidates` names the possible causes");
    let what = "`candidates` belongs to `cause = \"candidates\"`";
    table.mistake_at("candidates", has && !has_some, what);
    let what = "`shown` belongs to `cause = \"known\"`";
    table.mistake_at("shown", shown.is_some() && cause != Cause::Known, what);
}

/// Reports a number that is not between 0 and 1.
pub(super) fn check_share(table: &Table<'_>, key: &'static str, share: f64) {
    table.mistake_at(key, !(0.0..=1.0).contains(&share), format!("`{key}` lies between 0 and 1"));
}

impl Signature {
    pub(super) fn check(&self, table: &Table<'_>) {
        if !self.replaces {
            table.gives(Noun::Signature, "id");
        }
        table.uses(Noun::Signature, "unless");
        for link in table.items("references") {
            if link.text().is_some_and(|text| !text.starts_with("https://")) {
                link.mistake("a reference is an address that begins with https://");
            }
        }
        for (key, noun) in [("leads", Noun::Signature), ("action", Noun::Advice)] {
            let name = if noun == Noun::Advice { "use" } else { "over" };
            for entry in table.tables(key) {
                entry.uses(noun, name);
            }
        }
        check_cause(table, self.cause, &self.candidates, self.shown.as_ref());
        self.check_fallback(table);
        self.check_harmless(table);
        self.check_steps(table);
        self.check_names(table);
    }

    /// A fallback reports one line, for incidents that no other signature explains.
    fn check_fallback(&self, table: &Table<'_>) {
        let no_more = |key: &'static str, is_wrong: bool, what: &str| {
            table.mistake_at(key, self.fallback && is_wrong, what);
        };
        let mandatory = self.steps.iter().filter(|step| !step.optional).count();
        no_more("fallback", mandatory != 1, "a fall-back has one step that is not optional");
        no_more(
            "unless",
            !self.unless.is_empty(),
            "a fall-back keeps still for every other signature; `unless` would add nothing",
        );
        let what = "a fall-back is about incidents; nothing has to be said of a whole boot";
        no_more("scope", self.scope != Scope::Incident, what);
        let what = "a fall-back says what a line says: it is stated, and its cause not-in-log";
        no_more("certainty", self.certainty != Certainty::Stated, what);
        no_more("cause", self.cause != Cause::NotInLog, what);
        no_more(
            "notice",
            self.notice != AsNotice::Never,
            "a fall-back is about a failure, and no notice",
        );
    }

    /// A harmless signature has no actions.
    fn check_harmless(&self, table: &Table<'_>) {
        if self.harmless && (self.severity != Severity::Info || !self.actions.is_empty()) {
            table.mistake("what is harmless is info, and has no actions");
        }
    }

    fn check_steps(&self, table: &Table<'_>) {
        if self.steps.iter().all(|step| step.optional || step.whole_boot) {
            table.mistake("a signature needs a step of the incident that is not optional");
        }
        let steps: Vec<(Table<'_>, Step)> = table.entries_of("step");
        for (index, (place, step)) in steps.iter().enumerate() {
            let earlier: Vec<&Step> = steps.iter().take(index).map(|(_, step)| step).collect();
            self.check_step(place, step, &earlier);
        }
    }

    fn check_step(&self, table: &Table<'_>, step: &Step, earlier: &[&Step]) {
        let name = &step.name;
        if earlier.iter().any(|other| other.name == *name) {
            table.mistake(format!("there are two steps called `{name}`"));
        }
        if step.whole_boot && (step.window != Window::default() || step.tied().next().is_some()) {
            table.mistake(format!("step `{name}` reaches over the boot and has no place in it"));
        }
        let kinds = step.wanted.all_kinds();
        for tied in table.items("same").into_iter().chain(table.items("differs")) {
            let Some(wanted) = tied.text().filter(|name| field(&kinds, name).is_none()) else {
                continue;
            };
            let what = format!("this event has no field `{wanted}`");
            tied.mistake_with_hint(what, field_hint(&kinds, wanted));
        }
        let Some(by) = step.window.named().filter(|_| !step.optional) else { return };
        let is_earlier = earlier.iter().any(|other| other.name == *by && !other.optional);
        if self.step(by).is_some() && !is_earlier {
            table.mistake(format!(
                "step `{name}` is placed by `{by}`, which must be an earlier step that is not optional"
            ));
        }
    }

    /// Checks the names of steps and fields in all places.
    fn check_names(&self, table: &Table<'_>) {
        for part in table.tables("step").into_iter().chain(table.tables("never")) {
            let needs = part.tables("unknown").into_iter().filter_map(|table| table.get("needs"));
            for node in [part.get("after"), part.get("before")].into_iter().flatten().chain(needs) {
                if let Some(name) = node.text().filter(|name| self.step(name).is_none()) {
                    self.no_step(&node, name);
                }
            }
        }
        let keys = ["severity_if", "cause_if", "unsaid", "leads", "action"];
        let mut conditional: Vec<Table<'_>> =
            keys.iter().flat_map(|key| table.tables(key)).collect();
        for confidence in table.tables("confidence") {
            conditional.extend(confidence.tables("raise"));
            conditional.extend(confidence.tables("lower"));
        }
        let conditions = conditional.iter().filter_map(|entry| entry.get("when"));
        let conditions = conditions.chain(table.get("unjudged_if"));
        for node in conditions.chain(table.items("less_certain")) {
            if let Some(Ok(condition)) = node.text().map(str::parse::<Condition>) {
                for part in condition.parts() {
                    self.check_condition(&node, part);
                }
            }
        }
        let texts = table.tables("text");
        let texts = texts
            .iter()
            .flat_map(|text| [text.get("summary"), text.get("detail"), text.get("explain")]);
        let unsaid = table.tables("unsaid");
        let cases = table.tables("cause_if");
        let shown = cases.iter().map(|entry| entry.get("shown")).chain([table.get("shown")]);
        let texts = texts.chain(unsaid.iter().map(|entry| entry.get("text"))).chain(shown);
        for node in texts.flatten() {
            if let Some(Ok(template)) = node.text().map(Template::parse) {
                for path in template.paths() {
                    self.check_slot(&node, path);
                }
            }
        }
    }

    fn no_step(&self, node: &Node<'_>, name: &str) {
        let steps = self.steps.iter().map(|step| step.name.as_str());
        node.mistake_with_hint(format!("there is no step `{name}`"), hint(name, steps));
    }

    fn check_condition(&self, node: &Node<'_>, condition: &Condition) {
        match condition {
            Condition::Step(name) | Condition::NoStep(name) => match self.step(name) {
                None => self.no_step(node, name),
                Some(step) if !step.optional => {
                    node.mistake(format!("`{name}` is not optional, so this never changes"));
                }
                Some(_) => {}
            },
            Condition::Unknown(name) => {
                if !self.nevers.iter().any(|never| never.name == *name) {
                    node.mistake(format!("there is no `never` called `{name}`"));
                }
            }
            Condition::Log(_)
            | Condition::Gfx(_)
            | Condition::Kind(_)
            | Condition::Chip(_)
            | Condition::Class(_)
            | Condition::Kernel(_)
            | Condition::Outcome(_)
            | Condition::Not(_)
            | Condition::All(_) => {}
        }
    }

    fn check_slot(&self, node: &Node<'_>, path: &str) {
        let Some((name, value)) = path.split_once('.') else {
            if !PLAIN_SLOTS.contains(&path) {
                let hint = format!("write STEP.FIELD, or one of {}", PLAIN_SLOTS.join(", "));
                node.mistake_with_hint(format!("`{{{path}}}` has no value"), hint);
            }
            return;
        };
        if self.nevers.iter().any(|never| never.name == name) && value == "seen" {
            return;
        }
        let Some(step) = self.step(name) else { return self.no_step(node, name) };
        let kinds = step.wanted.all_kinds();
        let known = if OF_A_STACK.contains(&value) { "stack" } else { value };
        if !STEP_SLOTS.contains(&value) && field(&kinds, known).is_none() {
            let what = format!("step `{name}` has no field `{value}`");
            node.mistake_with_hint(what, field_hint(&kinds, value));
        }
    }
}
