//! Gaps in the texts of a signature.

use super::{Issue, LintLevel, Spot};
use crate::pattern::constraint::Condition;
use crate::pattern::signature::Signature;
use crate::pattern::template::Template;

pub(super) fn look(signature: &Signature, found: &mut Vec<Issue>) {
    let mut warn = |rule, spot, what: String| {
        found.push(Issue::new(LintLevel::Warning, rule, &signature.id, spot, what));
    };
    if signature.references.is_empty() {
        warn("no-references", Spot::Whole, "nothing says where its facts come from".to_owned());
    }
    // What is harmless leaves nothing open that matters.
    if signature.unsaid.is_empty() && !signature.harmless {
        let what = "missing `[[unsaid]]`: state what the log cannot show";
        warn("no-unsaid", Spot::Whole, what.to_owned());
    }
    let text = &signature.text;
    let detail = text.detail.as_ref().map(|detail| ("detail", detail));
    for (name, template) in
        [("summary", &text.summary), ("explain", &text.explain)].into_iter().chain(detail)
    {
        for path in holes(signature, template, None) {
            warn("unguarded", Spot::Key("text"), hole(&format!("`{name}`"), path));
        }
    }
    let cases = signature.cause_if.iter().map(|case| (case.shown.as_ref(), Some(&case.when)));
    for (shown, when) in cases.chain([(signature.shown.as_ref(), None)]) {
        for path in shown.into_iter().flat_map(|shown| holes(signature, shown, when)) {
            warn("unguarded", Spot::Key("cause"), hole("`shown`", path));
        }
    }
    for (index, unsaid) in signature.unsaid.iter().enumerate() {
        for path in holes(signature, &unsaid.text, unsaid.when.as_ref()) {
            warn("unguarded", Spot::Table("unsaid", index), hole("this question", path));
        }
    }
}

fn hole(name: &str, path: &str) -> String {
    format!(
        "{name} has a hole where `{{{path}}}` is not known, because its step need not be there; \
         `{{{path}:words %}}` leaves out its words, too"
    )
}

/// Values of optional steps whose placeholders do not include their surrounding words.
fn holes<'s>(
    signature: &'s Signature,
    template: &'s Template,
    when: Option<&'s Condition>,
) -> Vec<&'s str> {
    let need_not_be = |path: &&str| {
        let step = path.split_once('.').and_then(|(name, _)| signature.step(name));
        step.is_some_and(|step| step.optional && !when.is_some_and(|when| needs(when, &step.name)))
    };
    template.bare().filter(need_not_be).collect()
}

/// Whether a condition holds only if this step matched.
fn needs(condition: &Condition, step: &str) -> bool {
    match condition {
        Condition::Step(name) => name == step,
        Condition::All(all) => all.iter().any(|one| needs(one, step)),
        _ => false,
    }
}
