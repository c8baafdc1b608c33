//! Conditions that pattern files can state about a kernel, a chip, a log or a field.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::document::{FromToml, Node, record};
use super::expression::Expression;
use super::hardware::{ChipFacts, Classes, Fit, GfxPattern, Silicon, best_fit};
use super::source::{Noun, hint, suggestion};
use crate::value::field::Value;
use crate::value::words;
use crate::value::{
    ChipFact, DeviceKind, GfxGeneration, GfxTarget, HardwareClass, KernelVersion, Outcome,
};

/// A range of kernel versions, `>=5.10 <=6.17`, including both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KernelRange {
    /// The first version.
    pub from: Option<KernelVersion>,
    /// The last version; `<=6.17` includes every 6.17.y.
    pub to: Option<KernelVersion>,
}

impl KernelRange {
    /// Whether `version` lies in the range.
    pub(crate) fn contains(&self, version: KernelVersion) -> bool {
        self.from.is_none_or(|from| from <= version) && self.to.is_none_or(|to| version <= to)
    }
}

impl fmt::Display for KernelRange {
    /// Prints it in the syntax that is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any = format!(".{}", u16::MAX);
        let short = |version: KernelVersion, end: &str| {
            let text = version.to_string();
            text.strip_suffix(end).map(str::to_owned).unwrap_or(text)
        };
        let from = self.from.map(|from| format!(">={}", short(from, ".0")));
        let to = self.to.map(|to| format!("<={}", short(to, &any)));
        f.write_str(&from.into_iter().chain(to).collect::<Vec<_>>().join(" "))
    }
}

impl FromStr for KernelRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const SHAPE: &str = "a kernel range is written `>=5.10`, `<=6.17` or both";
        let mut range = Self::default();
        for word in text.split_whitespace() {
            let (end, version) = word.split_at_checked(2).ok_or(SHAPE)?;
            let read = |text: &str| text.parse::<KernelVersion>().map_err(|_| SHAPE);
            match end {
                ">=" => range.from = Some(read(version)?),
                "<=" if version.matches('.').count() < 2 => {
                    range.to = Some(read(&format!("{version}.{}", u16::MAX))?);
                }
                "<=" => range.to = Some(read(version)?),
                _ => return Err(SHAPE),
            }
        }
        if range == Self::default() { Err(SHAPE) } else { Ok(range) }
    }
}

record! {
    /// The GPUs and kernels that a signature applies to.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Applies {
        /// Targets or generations.
        pub gfx: Vec<GfxPattern>,
        /// Discrete or integrated.
        pub kind: Option<DeviceKind>,
        /// Capabilities of the chip.
        pub chip: Vec<ChipIs>,
        /// Whether the log must prove all of it; otherwise the log must only not contradict it.
        pub proven: bool,
        /// The kernel.
        pub kernel: Option<KernelRange>,
    }
}

/// A capability that a chip has (`display`) or does not have (`no display`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChipIs {
    pub fact: ChipFact,
    /// False for `no`.
    pub has: bool,
}

impl ChipIs {
    /// Whether it is certain.
    fn is_true(self, facts: ChipFacts) -> bool {
        facts.get(self.fact) == Some(self.has)
    }

    fn may_be_true(self, facts: ChipFacts) -> bool {
        facts.get(self.fact) != Some(!self.has)
    }
}

impl fmt::Display for ChipIs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.has {
            f.write_str("no ")?;
        }
        f.write_str(self.fact.name())
    }
}

impl FromStr for ChipIs {
    type Err = NotACondition;

    fn from_str(text: &str) -> Result<Self, NotACondition> {
        let (name, has) = text.strip_prefix("no ").map_or((text, true), |name| (name, false));
        ChipFact::read(name.trim()).map(|fact| Self { fact, has }).ok_or(NotACondition)
    }
}

impl FromToml for ChipIs {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let text = String::from_toml(node)?;
        let found = text.parse().ok();
        if found.is_none() {
            let name = text.strip_prefix("no ").unwrap_or(&text);
            let names = ChipFact::names().iter().copied();
            node.mistake_with_hint(
                format!("`{text}` is nothing that a chip has"),
                hint(name, names),
            );
        }
        found
    }

    fn placeholder() -> Self {
        Self { fact: ChipFact::Graphics, has: true }
    }
}

/// What is known about a GPU.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub target: Option<GfxTarget>,
    pub generation: Option<GfxGeneration>,
    /// Discrete or integrated.
    pub kind: Option<DeviceKind>,
    /// The capabilities of its chip.
    pub facts: ChipFacts,
    /// The hardware classes that are possible.
    pub classes: Classes,
}

impl Known {
    fn silicon(&self) -> Silicon<'_> {
        match (self.target, self.generation) {
            (Some(target), _) => Silicon::Target(target),
            (None, Some(generation)) => Silicon::Generation(generation),
            (None, None) => Silicon::Unknown,
        }
    }

    /// Whether it is certainly one of these.
    pub(crate) fn is_one_of(&self, patterns: &[GfxPattern]) -> bool {
        patterns.iter().any(|pattern| pattern.fit(self.silicon()) == Fit::Yes)
    }

    /// Whether its chip certainly has all of these.
    pub(crate) fn has(&self, wanted: &[ChipIs]) -> bool {
        wanted.iter().all(|one| one.is_true(self.facts))
    }
}

impl Applies {
    /// False only if the log proves that the chip differs, or, with `proven`, does not prove that
    /// it matches. The kernel version never rejects, because distributions backport patches.
    pub(crate) fn allows(&self, known: Known) -> bool {
        if self.proven {
            let kind = self.kind.is_none() || self.kind == known.kind;
            let gfx = self.gfx.is_empty() || known.is_one_of(&self.gfx);
            return kind && gfx && known.has(&self.chip);
        }
        let kind = self.kind.is_none() || known.kind.is_none() || self.kind == known.kind;
        let chip = self.chip.iter().all(|one| one.may_be_true(known.facts));
        kind && chip && best_fit(&self.gfx, known.silicon()) != Fit::No
    }
}

/// A value to compare with a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operand {
    Number(i64),
    /// A word or a text.
    Word(String),
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Test {
    Is(Vec<Operand>),
    /// One of these, or not in the log.
    Maybe(Vec<Operand>),
    /// None of these, or not in the log.
    IsNot(Vec<Operand>),
    /// Within this range, including its ends.
    Between(Option<i64>, Option<i64>),
    /// The number of entries is within this range, including its ends.
    Length(Option<i64>, Option<i64>),
    /// The regular expression matches a part of it, or of one of its words.
    Fits(Expression),
    /// The regular expression matches neither a part of it nor of one of its words.
    Misfits(Expression),
    /// Whether the log states it.
    Known(bool),
}

impl Test {
    /// Whether a field with this value meets the condition.
    pub(crate) fn passes(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Self::Known(known), value) => *known == value.is_some(),
            (Self::IsNot(_) | Self::Maybe(_), None) => true,
            (_, None) => false,
            (Self::Is(operands) | Self::Maybe(operands), Some(value)) => {
                operands.iter().any(|one| equal(one, value))
            }
            (Self::IsNot(operands), Some(value)) => !operands.iter().any(|one| equal(one, value)),
            (Self::Between(min, max), Some(value)) => is_between(value.number(), *min, *max),
            (Self::Length(min, max), Some(value)) => {
                is_between(i64::try_from(value.words().len()).ok(), *min, *max)
            }
            (Self::Fits(expression), Some(value)) => fits(expression, value),
            (Self::Misfits(expression), Some(value)) => !fits(expression, value),
        }
    }
}

fn is_between(number: Option<i64>, min: Option<i64>, max: Option<i64>) -> bool {
    number.is_some_and(|number| {
        min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
    })
}

fn equal(operand: &Operand, value: &Value) -> bool {
    match operand {
        Operand::Number(number) => value.number() == Some(*number),
        Operand::Word(word) => value.words().contains(word),
    }
}

fn fits(expression: &Expression, value: &Value) -> bool {
    match value {
        Value::Text(_) | Value::Word(_) | Value::List(_) => {
            value.words().iter().any(|word| expression.fits(word))
        }
        other => expression.fits(&other.to_string()),
    }
}

/// A condition on a match or its log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Condition {
    /// This optional step matched.
    Step(String),
    /// This optional step did not match.
    NoStep(String),
    /// It is unknown whether this `never` occurred.
    Unknown(String),
    /// A property of the log.
    Log(LogCondition),
    /// The GPU is certainly one of these.
    Gfx(Vec<GfxPattern>),
    /// The GPU is certainly of this kind.
    Kind(DeviceKind),
    /// Its chip certainly has, or certainly does not have, this capability.
    Chip(ChipIs),
    /// It is certainly of one of these hardware classes.
    Class(Vec<HardwareClass>),
    /// The kernel is known and in this range.
    Kernel(KernelRange),
    /// The incident ended in one of these ways.
    Outcome(Vec<Outcome>),
    /// This condition does not hold.
    Not(Box<Condition>),
    /// All of these hold.
    All(Vec<Condition>),
}

words! {
    /// A property of a log.
    pub(crate) LogCondition {
        /// Lines are missing.
        LogHasHoles,
        /// The log begins after the start of the boot.
        LogStartsLate,
        /// The log ends soon after the incident.
        LogEndsEarly,
        /// The log was filtered, so the absence of a line proves nothing.
        LogFiltered,
        /// The log does not identify the chip.
        GpuUnknown,
        /// No line has a time.
        NoTimes,
        /// All lines are from code that GPU drivers share, and no line of the log names amdgpu or
        /// an AMD GPU.
        DriverUnnamed,
        /// Only programs report it; no line is from the kernel.
        OnlyPrograms,
        /// The work that failed is of compute programs or of the kernel itself, and none of it is
        /// of a program that may draw.
        NoGraphics,
        /// No line shows that the driver saved the state of the GPU (device coredump), or came as
        /// far as that in a reset.
        NoDump,
        /// The log is from FreeBSD, where commands and settings of Linux do not exist.
        Freebsd,
        /// The log is a program's from Windows, where commands and settings of Linux do not exist.
        Windows,
        /// Programs ran in the Windows Subsystem for Linux (WSL), where the driver is that of
        /// Windows.
        Wsl,
        /// The machine is a virtual one, to which a GPU was given.
        Guest,
        /// A person mentions a virtual machine, which may be another one or none.
        GuestReported,
        /// The kernel crashed in the incident.
        Crashed,
        /// No line names a built-in panel, and the machine is not known to be a laptop or handheld,
        /// nor its GPU to be a part of the processor.
        NoPanel,
        /// No line names a program for language models that can compute with Vulkan.
        NoVulkanModels,
        /// The text names ROCm, and no line shows which program failed.
        RocmNamed,
        /// No line names the device, or there are several and some lines name none: they were
        /// attributed because only one fits.
        DeviceInferred,
        /// An environment variable makes ROCm treat the GPU as another chip.
        Overridden,
        /// There is more than one GPU.
        SeveralGpus,
        /// The log contains the whole boot up to its end, unfiltered and without gaps.
        LogComplete,
        /// The log has more than one boot.
        SeveralBoots,
        /// The log shows a driver that is not the kernel's own (DKMS).
        DriverPackage,
        /// The log shows that the GPU is a virtual function (SR-IOV): the card belongs to a host.
        VirtualFunction,
        /// The log shows that overclocking (overdrive) is switched on.
        OverdriveOn,
        /// The log of the boot continues for more than five minutes after the last of these lines,
        /// or another boot follows.
        LongAgo,
    }
}

/// The text is not a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotACondition;

impl Condition {
    /// The condition itself and its parts.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Not(inner) => [vec![self], inner.parts()].concat(),
            Self::All(inner) => [vec![self], inner.iter().flat_map(Self::parts).collect()].concat(),
            Self::Step(_)
            | Self::NoStep(_)
            | Self::Unknown(_)
            | Self::Log(_)
            | Self::Gfx(_)
            | Self::Kind(_)
            | Self::Chip(_)
            | Self::Class(_)
            | Self::Kernel(_)
            | Self::Outcome(_) => vec![self],
        }
    }
}

impl FromToml for Condition {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let text = String::from_toml(node)?;
        let Ok(condition) = text.parse::<Self>() else {
            let known = LogCondition::names();
            let hint = suggestion(&text, known.iter().copied()).unwrap_or_else(|| {
                format!(
                    "write `step NAME`, `no step NAME`, `unknown NAME`, `gfx gfx11*`, `kind apu`, \
                     `chip display`, `chip no display`, `class laptop`, \
                     `kernel >=6.10`, `outcome failed`, or one of {}",
                    known.join(", ")
                )
            });
            node.mistake_with_hint(format!("`{text}` is no condition"), hint);
            return None;
        };
        for part in condition.parts() {
            if let Self::Gfx(patterns) = part {
                for pattern in patterns {
                    node.uses(Noun::Chip, &pattern.to_string());
                }
            }
        }
        Some(condition)
    }

    fn placeholder() -> Self {
        Self::All(Vec::new())
    }
}

impl FromStr for Condition {
    type Err = NotACondition;

    fn from_str(text: &str) -> Result<Self, NotACondition> {
        let parts: Option<Vec<Self>> = text.split(" and ").map(simple).collect();
        let mut parts = parts.ok_or(NotACondition)?;
        if parts.len() > 1 { Ok(Self::All(parts)) } else { parts.pop().ok_or(NotACondition) }
    }
}

/// Parses a condition without `and`.
fn simple(text: &str) -> Option<Condition> {
    let text = text.trim();
    let named = |prefix: &str| text.strip_prefix(prefix).map(str::trim);
    let name = |name: &str| Some(name.to_owned()).filter(|name| !name.contains(' '));
    if let Some(rest) = named("not ") {
        Some(Condition::Not(Box::new(simple(rest)?)))
    } else if let Some(step) = named("step ") {
        Some(Condition::Step(name(step)?))
    } else if let Some(step) = named("no step ") {
        Some(Condition::NoStep(name(step)?))
    } else if let Some(never) = named("unknown ") {
        Some(Condition::Unknown(name(never)?))
    } else if let Some(patterns) = named("gfx ") {
        let patterns: Result<_, _> = patterns.split('|').map(str::parse).collect();
        patterns.map(Condition::Gfx).ok()
    } else if let Some(kind) = named("kind ") {
        kind.parse().map(Condition::Kind).ok()
    } else if let Some(fact) = named("chip ") {
        fact.parse().map(Condition::Chip).ok()
    } else if let Some(classes) = named("class ") {
        let classes: Option<_> = classes.split('|').map(HardwareClass::read).collect();
        classes.map(Condition::Class)
    } else if let Some(range) = named("kernel ") {
        range.parse().map(Condition::Kernel).ok()
    } else if let Some(outcomes) = named("outcome ") {
        let outcomes: Result<_, _> = outcomes.split('|').map(str::parse).collect();
        outcomes.map(Condition::Outcome).ok()
    } else {
        text.parse().map(Condition::Log).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_ranges_include_their_ends() {
        let range: KernelRange = ">=6.10 <=6.17".parse().unwrap();
        for (version, inside) in
            [("6.9.12", false), ("6.10", true), ("6.17.8-300.fc43", true), ("6.18", false)]
        {
            assert_eq!(range.contains(version.parse().unwrap()), inside, "{version}");
        }
        for text in [">=6.10 <=6.17", ">=6.10.3", "<=6.17", "<=6.17.2"] {
            assert_eq!(text.parse::<KernelRange>().unwrap().to_string(), text);
        }
        for bad in ["", "6.10", ">6.10", ">=six"] {
            assert!(bad.parse::<KernelRange>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_chip_is_rejected_only_by_proof() {
        let applies = Applies {
            gfx: ["gfx110*", "gfx115*"].map(|gfx| gfx.parse().unwrap()).into(),
            ..Applies::default()
        };
        let generation = |n| Known { generation: Some(GfxGeneration(n)), ..Known::default() };
        let target = |t: &str| Known { target: t.parse().ok(), ..Known::default() };
        assert!(applies.allows(Known::default()));
        assert!(applies.allows(generation(11)));
        assert!(!applies.allows(generation(10)));
        assert!(applies.allows(target("gfx1103")));
        assert!(!applies.allows(target("gfx1201")));
    }

    #[test]
    fn what_the_log_does_not_tell_passes_no_test_that_wants_a_value() {
        assert!(!Test::Is(vec![Operand::Number(0)]).passes(None));
        assert!(!Test::Between(Some(1), None).passes(None));
        assert!(Test::IsNot(vec![Operand::Number(0)]).passes(None));
        assert!(Test::Known(false).passes(None));
        assert!(Test::Between(Some(1), Some(7)).passes(Some(&Value::Number(7))));
        assert!(!Test::Between(Some(1), Some(7)).passes(Some(&Value::Number(8))));
    }

    #[test]
    fn conditions_are_a_closed_set() {
        assert_eq!("no step end".parse(), Ok(Condition::NoStep("end".into())));
        assert_eq!("log-filtered".parse(), Ok(Condition::Log(LogCondition::LogFiltered)));
        assert_eq!("kind apu".parse(), Ok(Condition::Kind(DeviceKind::Apu)));
        let without = ChipIs { fact: ChipFact::Display, has: false };
        assert_eq!("chip no display".parse(), Ok(Condition::Chip(without)));
        let mobile = vec![HardwareClass::Laptop, HardwareClass::Handheld];
        assert_eq!("class laptop|handheld".parse(), Ok(Condition::Class(mobile)));
        assert_eq!(
            "step a and not outcome failed|hung".parse(),
            Ok(Condition::All(vec![
                Condition::Step("a".into()),
                Condition::Not(Box::new(Condition::Outcome(vec![Outcome::Failed, Outcome::Hung]))),
            ]))
        );
        for bad in [
            "log-strange",
            "chip",
            "chip screen",
            "class card",
            "kind card",
            "gfx navi",
            "kernel 6",
            "outcome good",
            "step a and",
        ] {
            assert_eq!(bad.parse::<Condition>(), Err(NotACondition), "{bad}");
        }
    }

    #[test]
    fn an_unknown_value_fits_only_if_allowed() {
        let wanted = || vec![Operand::Number(-125)];
        for (test, same, other, untold) in [
            (Test::Is(wanted()), true, false, false),
            (Test::Maybe(wanted()), true, false, true),
            (Test::IsNot(wanted()), false, true, true),
            (Test::Known(true), true, true, false),
        ] {
            let passes = |value: Option<Value>| test.passes(value.as_ref());
            let found =
                [passes(Some(Value::Number(-125))), passes(Some(Value::Number(-62))), passes(None)];
            assert_eq!(found, [same, other, untold], "{test:?}");
        }
    }
}
