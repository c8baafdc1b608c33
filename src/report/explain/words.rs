//! Describes the demands of pattern files in words.

use crate::document::counts::{any, exact, joined};
use crate::event::Observed;
use crate::event::envelope::Driver;
use crate::explain::UsePlace;
use crate::explain::lines::{By, LineSource};
use crate::incident::opens;
use crate::kind::Part;
use crate::pattern::constraint::{Applies, Condition, KernelRange, LogCondition, Operand, Test};
use crate::pattern::message::Printer;
use crate::pattern::signature::{
    Cause, Certainty, Count, EventMatcher, IfUnknown, Never, Scope, Status, Step, Window,
};
use crate::pattern::template::Template;
use crate::value::field::FieldKind;
use crate::value::{AdvicePhase, DeviceKind, KernelVersion, Named};

/// A doc comment as a phrase: `The ring.` becomes `the ring`.
pub(super) fn phrase(about: &str) -> String {
    let text = about.trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        // Abbreviations keep their case.
        Some(first) if !letters.as_str().starts_with(|c: char| c.is_uppercase()) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

pub(super) const fn part(part: Part) -> &'static str {
    match part {
        Part::Failure => "failure: something broke; opens an incident",
        Part::Step => "step of a recovery: belongs to an incident and opens none",
        Part::Aftermath => {
            "aftermath of a recovery: opens an incident only where no recovery is seen"
        }
        Part::Context => "context: no sign of a failure",
    }
}

/// The part of one event. Some failures open no incident of their own.
pub(super) fn part_of(observed: &Observed) -> &'static str {
    match observed.event.kind().part() {
        Part::Failure if !opens(observed) => "failure of a part; alone it opens no incident",
        of_kind => part(of_kind),
    }
}

pub(super) const fn place(place: UsePlace) -> &'static str {
    match place {
        UsePlace::Step => "required",
        UsePlace::OptionalStep => "optional",
        UsePlace::Never => "excluded",
    }
}

pub(super) const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Stated => "stated: the log says it literally",
        Certainty::Inferred => "inferred: it follows from several lines together",
        Certainty::Suspected => {
            "suspected: from versions, or from lines that can also mean something else"
        }
    }
}

pub(super) fn cause(cause: Cause, candidates: &[String], shown: Option<&Template>) -> String {
    match cause {
        Cause::Known => {
            let shown = shown.map_or_else(|| "what the diagnosis reports".to_owned(), template);
            format!("known: {shown}")
        }
        Cause::Candidates => format!("candidates: {}", joined(candidates, "; ")),
        Cause::NotInLog => "not-in-log: no line names it".to_owned(),
    }
}

/// A sentence with the names of its values in their places.
pub(super) fn template(template: &Template) -> String {
    template.filled(|path| Some(format!("<{path}>")))
}

pub(super) fn holds(kind: FieldKind) -> String {
    match kind {
        FieldKind::Word(words) if words.len() <= 8 => format!("one of {}", words.join(", ")),
        FieldKind::WordOrNumber(words) if words.len() <= 8 => {
            format!("one of {}, or a number", words.join(", "))
        }
        FieldKind::Number | FieldKind::Text | FieldKind::Stack | FieldKind::Derived => {
            String::new()
        }
        FieldKind::Name | FieldKind::Word(_) | FieldKind::WordOrNumber(_) => kind.name().to_owned(),
    }
}

pub(in crate::report) fn kernels(range: Option<KernelRange>) -> String {
    let [from, to] = range.map(ends).unwrap_or_default();
    match (from, to) {
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (Some(from), None) => format!("{from} and newer"),
        (None, Some(to)) => format!("up to {to}"),
        (None, None) => "any".to_owned(),
    }
}

/// The first and the last version of a range, in their usual form: `6.8`.
pub(super) fn ends(KernelRange { from, to }: KernelRange) -> [Option<String>; 2] {
    let short = |version: KernelVersion| {
        let version = version.to_string();
        let version = version.strip_suffix(&format!(".{}", u16::MAX)).unwrap_or(&version);
        version.strip_suffix(".0").filter(|v| v.contains('.')).unwrap_or(version).to_owned()
    };
    [from.map(short), to.map(short)]
}

pub(super) const fn printer(printer: Printer) -> &'static str {
    match printer {
        Printer::Amdgpu => "the amdgpu driver",
        Printer::Drm => "the DRM core",
        Printer::Ttm => "the memory manager (TTM)",
        Printer::Pci => "the PCI core",
        Printer::Iommu => "the IOMMU driver",
        Printer::VendorReset => "the module vendor-reset",
        Printer::Passthrough => "the PCI core, about a device of a virtual machine",
        Printer::Kernel => "the core of the kernel",
        Printer::Program => "a program",
    }
}

pub(super) fn printed(printed: &LineSource) -> String {
    let driver = match printed.driver {
        Driver::Amdgpu => Some("the amdgpu driver"),
        Driver::Drm => Some("a DRM driver or the DRM core"),
        Driver::Ttm => Some("the memory manager (TTM)"),
        Driver::Bus => Some("the PCI core"),
        Driver::Iommu => Some("the IOMMU driver"),
        Driver::VendorReset => Some("the module vendor-reset"),
        Driver::Passthrough => Some("the PCI core, about a device of a virtual machine"),
        Driver::Other => Some("another driver"),
        Driver::None => None,
    };
    let by = match (&printed.by, driver) {
        (By::Listing, _) => "a listing of processes".to_owned(),
        (By::Program(name, Some(pid)), _) => format!("the program {} (pid {pid})", Named(name)),
        (By::Program(name, None), _) => format!("the program {}", Named(name)),
        (By::Kernel | By::Unstated, Some(driver)) => driver.to_owned(),
        (By::Kernel, None) => "the core of the kernel".to_owned(),
        (By::Unstated, None) => "the line does not say".to_owned(),
    };
    let function = printed.function.as_ref();
    by + &function.map(|function| format!(", in {}()", Named(function))).unwrap_or_default()
}

pub(in crate::report) fn applies(applies: &Applies) -> String {
    let gfx = any(&applies.gfx, ", ").map(|gfx| format!("GPUs {gfx}"));
    let kind = applies.kind.map(|kind| match kind {
        DeviceKind::Dgpu => "cards".to_owned(),
        DeviceKind::Apu => "GPUs that are part of a processor".to_owned(),
    });
    let chip = any(&applies.chip, " and ").map(|chip| format!("chips with {chip}"));
    let proven = applies.proven.then(|| "only if the log proves it".to_owned());
    let kernel = applies.kernel.map(|range| format!("kernels {}", kernels(Some(range))));
    let all = gfx.into_iter().chain(kind).chain(chip).chain(proven).chain(kernel);
    any(all, "; ").unwrap_or_else(|| "all GPUs and kernels".to_owned())
}

pub(super) const fn status(status: Status) -> &'static str {
    match status {
        Status::Stable => "stable: proven by logs of at least two kernel generations",
        Status::Experimental => "experimental: few logs prove it so far",
    }
}

pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Incident => "the events of one incident",
        Scope::Boot => "all events of one GPU in one boot; what matches is a notice",
        Scope::Either => "the events of one incident, or else those of the boot, as a notice",
    }
}

/// `mes-timeout, where opcode is ADD_QUEUE`.
pub(in crate::report) fn wanted(wanted: &EventMatcher) -> String {
    let mut text = joined(wanted.kinds.iter().map(|kind| kind.name()), " or ");
    if let Some(tests) = any(wanted.tests.iter().map(|(name, of)| test(name, of)), " and ") {
        text = format!("{text}, where {tests}");
    }
    match wanted.of_a_gpu {
        None => {}
        Some(true) => text.push_str(", of an AMD GPU"),
        Some(false) => text.push_str(", not of an AMD GPU"),
    }
    for other in &wanted.or {
        text.push_str("; or ");
        text.push_str(&self::wanted(other));
    }
    text
}

fn test(field: &str, test: &Test) -> String {
    match test {
        Test::Is(operands) => format!("{field} is {}", choice(operands)),
        Test::Maybe(operands) => format!("{field} is {} or missing", choice(operands)),
        Test::IsNot(operands) => match operands.as_slice() {
            [one] => format!("{field} is not {}", operand(one)),
            several => format!("{field} is none of {}", listed(several)),
        },
        Test::Between(min, max) => format!("{field} is {}", range(*min, *max)),
        Test::Length(min, max) => format!("the length of {field} is {}", range(*min, *max)),
        Test::Known(true) => format!("{field} is printed"),
        Test::Known(false) => format!("{field} is not printed"),
        Test::Fits(expression) => format!("{field} matches /{}/", expression.text()),
        Test::Misfits(expression) => format!("{field} does not match /{}/", expression.text()),
    }
}

/// `from 1 to 7`, `at most 7`.
pub(in crate::report) fn range(min: Option<i64>, max: Option<i64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => unreachable!("a range has a minimum or a maximum"),
    }
}

pub(in crate::report) fn choice(operands: &[Operand]) -> String {
    match operands {
        [one] => operand(one),
        several => format!("one of {}", listed(several)),
    }
}

pub(in crate::report) fn listed(operands: &[Operand]) -> String {
    joined(operands.iter().map(operand), ", ")
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Number(number) => number.to_string(),
        Operand::Word(word) => word.clone(),
    }
}

/// The demand of a step, without its name.
pub(super) fn step(step: &Step) -> String {
    let mut text = wanted(&step.wanted);
    text.push_str(&window(&step.window));
    text.push_str(&step.count.as_ref().map(count).unwrap_or_default());
    for (how, fields) in [("the same", &step.same), ("another", &step.differs)] {
        if !fields.is_empty() {
            text.extend([", with ", how, " ", &fields.join(" and ")]);
        }
    }
    if step.whole_boot {
        text.push_str(", anywhere in the boot");
    }
    if step.optional {
        text.push_str(" (optional)");
    }
    text
}

/// The demand of a never, without its name.
pub(super) fn never(never: &Never) -> String {
    let unknown = match &never.unknown {
        IfUnknown::Accept => String::new(),
        IfUnknown::Reject => "; if the log does not show whether, nothing is claimed".to_owned(),
        IfUnknown::Needs(step) => {
            format!("; if the log does not show whether, step {step} decides")
        }
    };
    format!("{}{}{unknown}", wanted(&never.wanted), window(&never.window))
}

pub(in crate::report) fn window(window: &Window) -> String {
    let within = window.within.map(|span| format!(" within {}", exact(span)));
    let within = within.unwrap_or_default();
    match (&window.after, &window.before) {
        (Some(after), _) => format!(",{within} after {after}"),
        (None, Some(before)) => format!(",{within} before {before}"),
        (None, None) if within.is_empty() => String::new(),
        (None, None) => format!(",{within}"),
    }
}

fn count(count: &Count) -> String {
    let within = count.within.map(|span| format!(" within {}", exact(span)));
    format!(", at least {} times{}", count.min, within.unwrap_or_default())
}

pub(in crate::report) fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Step(step) => format!("step {step} matched"),
        Condition::NoStep(step) => format!("step {step} did not match"),
        Condition::Unknown(never) => format!("the log does not show whether {never} occurred"),
        Condition::Log(condition) => log_condition(*condition).to_owned(),
        Condition::Gfx(patterns) => format!("the GPU is {}", joined(patterns, " or ")),
        Condition::Kind(DeviceKind::Apu) => "the GPU is part of a processor".to_owned(),
        Condition::Kind(DeviceKind::Dgpu) => "the GPU is a card".to_owned(),
        Condition::Chip(fact) => format!("the chip has {fact}"),
        Condition::Class(classes) => {
            let words = classes.iter().map(|class| class.name());
            format!("the hardware is of class {}", joined(words, " or "))
        }
        Condition::Kernel(range) => format!("the kernel is {}", kernels(Some(*range))),
        Condition::Outcome(outcomes) => {
            let words = outcomes.iter().map(|outcome| outcome.name());
            format!("the outcome is {}", joined(words, " or "))
        }
        Condition::Not(inner) => format!("not: {}", self::condition(inner)),
        Condition::All(all) => joined(all.iter().map(self::condition), " and "),
    }
}

/// When advice is useful.
pub(super) const fn phase(phase: AdvicePhase) -> &'static str {
    match phase {
        AdvicePhase::Now => "at once",
        AdvicePhase::Fix => "to remove the cause",
        AdvicePhase::NarrowDown => "to find the cause",
        AdvicePhase::Collect => "to save what is known",
        AdvicePhase::Report => "to report the bug",
    }
}

const fn log_condition(condition: LogCondition) -> &'static str {
    match condition {
        LogCondition::LogHasHoles => "lines are missing from the log",
        LogCondition::LogStartsLate => "the log does not begin with the boot",
        LogCondition::LogEndsEarly => "the log ends soon after",
        LogCondition::LogFiltered => "the log was filtered",
        LogCondition::GpuUnknown => "the log does not show the generation of the GPU",
        LogCondition::DriverUnnamed => "no line of the log names the driver",
        LogCondition::Freebsd => "the log is of FreeBSD",
        LogCondition::Windows => "the log is from Windows",
        LogCondition::Wsl => "programs ran in WSL",
        LogCondition::Guest => "the machine is a virtual one",
        LogCondition::GuestReported => "a person mentions a virtual machine",
        LogCondition::Crashed => "the kernel crashed",
        LogCondition::NoPanel => "nothing shows a laptop's panel",
        LogCondition::NoVulkanModels => "no line names a program that can use Vulkan instead",
        LogCondition::RocmNamed => "the text names ROCm, and no line shows which program failed",
        LogCondition::OnlyPrograms => "only programs report it",
        LogCondition::NoDump => "no line shows a device coredump",
        LogCondition::NoGraphics => "the work that failed is not that of a program that draws",
        LogCondition::NoTimes => "no line has a time",
        LogCondition::DeviceInferred => {
            "the lines do not name the GPU, or some do not and there are several GPUs"
        }
        LogCondition::Overridden => "ROCm is set to treat the GPU as another chip",
        LogCondition::SeveralGpus => "there is more than one GPU",
        LogCondition::LogComplete => "the log has the whole boot, unfiltered and without gaps",
        LogCondition::SeveralBoots => "the log has more than one boot",
        LogCondition::DriverPackage => "the log shows a driver package (DKMS)",
        LogCondition::VirtualFunction => "the GPU is a virtual function",
        LogCondition::OverdriveOn => "the log shows that overclocking (overdrive) is on",
        LogCondition::LongAgo => "the log goes on for more than five minutes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_told_in_words() {
        for (text, want) in [
            (">=6.5", "6.5 and newer"),
            ("<=6.17", "up to 6.17"),
            (">=5.10.3 <=6.17.2", "5.10.3 to 6.17.2"),
        ] {
            assert_eq!(kernels(text.parse().ok()), want);
        }
        assert_eq!(phrase("The ring."), "the ring");
        assert_eq!(phrase("MES is silent."), "MES is silent");
    }

    /// Every step of every built-in signature has a description.
    #[test]
    fn every_step_is_described() {
        for signature in &crate::builtin::patterns().signatures {
            for told in signature.steps.iter().map(step).chain(signature.nevers.iter().map(never)) {
                assert!(told.len() > 4 && !told.ends_with(' '), "{}: {told}", signature.id);
            }
        }
    }
}
