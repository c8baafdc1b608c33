//! Advice: what a person can do, each piece written once.

use serde::{Deserialize, Serialize};

use super::constraint::Condition;
use super::distribution::{Distributions, System};
use super::document::{FromToml, Node, Table, record};
use super::instruction::Instruction;
use super::later::Lazy;
use super::source::Noun;
use super::source_anchor::SourceAnchor;
pub(crate) use crate::value::Trust;
use crate::value::{AdvicePhase, DistributionFamily, HardwareClass, PciAddress};

record! {
    /// A kernel parameter that the advice sets.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Setting {
        /// The parameter as written on the kernel command line: `amdgpu.runpm`, `iommu`.
        pub parameter: String,
        /// Its value.
        pub value: String,
    }
}

record! {
    /// Commands for certain distributions.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Command {
        /// The distribution families on which the commands work.
        pub(crate) families: Vec<DistributionFamily> as "family" = required,
        /// The distributions of these families that the commands are for: ids in pattern files,
        /// names in output. Empty for all.
        pub(crate) distributions: Vec<String> as "distribution",
        /// Shell commands, one per line. `{device}` is the PCI address.
        pub text: String as "command",
        /// What to know before running them.
        pub(crate) comment: Option<String>,
    }
    check
}

impl Command {
    /// Whether it works on this family.
    pub(crate) fn is_for(&self, family: DistributionFamily) -> bool {
        self.families.contains(&family)
    }

    fn check(&self, table: &Table<'_>) {
        table.uses(Noun::Distribution, "distribution");
        let one = self.distributions.is_empty() || self.families.len() == 1;
        table.mistake_at("distribution", !one, "distributions are of one family");
    }
}

record! {
    /// A piece of advice.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub struct Advice {
        /// The stable identifier.
        pub id: String,
        /// When it is useful.
        pub(crate) phase: AdvicePhase,
        /// The advice in one line.
        pub(crate) summary: String,
        /// Commands other than those that set or remove a kernel parameter.
        pub commands: Lazy<Vec<Command>>,
        /// The reason why it may help.
        pub(crate) why: String,
        /// What it may cost or break.
        pub(crate) risk: String,
        /// How to check that it took effect.
        pub(crate) verify: Instruction,
        /// How reliable it is.
        pub(crate) trust: Trust,
        /// Its source: a document, a file of the kernel's source, or a person.
        pub source: String,
        /// The places in the kernel's source that support it.
        pub(crate) anchors: Lazy<Vec<SourceAnchor>>,
        /// The parameter that it sets, if a log can show that it is set already.
        pub sets: Option<Setting>,
        /// The kernel parameter that it removes; `NAME` in it is a placeholder for the reader.
        pub(crate) removes: Option<String>,
        /// Whether it is useful only during the boot in which the failure happened.
        pub(crate) while_running: bool,
        /// Whether it also holds on Windows, where its commands are left out.
        pub(crate) windows: bool,
        /// The hardware classes that it is for; empty for all.
        pub(crate) classes: Vec<HardwareClass>,
        /// It is omitted if one of these conditions holds.
        pub(crate) not_when: Lazy<Vec<Condition>>,
    }
    check
}

impl Advice {
    /// Fills in the GPU's PCI address and the commands for `system`.
    pub(crate) fn filled(
        &self,
        device: Option<PciAddress>,
        distributions: &Distributions,
        system: Option<&System>,
    ) -> Self {
        let named = device;
        let device = named.map_or_else(|| "PCI_ADDRESS".to_owned(), |device| device.to_string());
        let here = |text: &str| text.replace("{device}", &device);
        let mut commands = distributions.commands(self, system);
        for one in &mut commands {
            let unfilled = named.is_none() && one.text.contains("{device}");
            one.text = here(one.text.trim());
            one.comment = one.comment.as_deref().map(here);
            if unfilled {
                let before =
                    one.comment.take().map(|comment| format!("{comment}. ")).unwrap_or_default();
                one.comment =
                    Some(format!("{before}PCI_ADDRESS is the GPU's, such as 0000:03:00.0"));
            }
        }
        Self {
            summary: here(&self.summary),
            commands: commands.into(),
            why: here(&self.why),
            risk: here(&self.risk),
            verify: self.verify.map(here),
            ..self.clone()
        }
    }

    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Advice, "id");
        // Advice must not set a parameter that the driver does not have.
        let sets = table.tables("sets").into_iter().filter_map(|sets| sets.get("parameter"));
        for parameter in sets.chain(table.get("removes")) {
            if let Some(name) = parameter.text().and_then(|name| name.strip_prefix("amdgpu."))
                && name != "NAME"
            {
                parameter.uses(Noun::Parameter, name);
            }
        }
        let both = self.sets.is_some() && self.removes.is_some();
        table.mistake_at("removes", both, "advice sets a parameter or removes one");
        let asks_for_steps = self.not_when.iter().flat_map(Condition::parts).any(|part| {
            matches!(part, Condition::Step(_) | Condition::NoStep(_) | Condition::Unknown(_))
        });
        let what = "advice knows no steps: a condition on one belongs to the signature's `when`";
        table.mistake_at("not_when", asks_for_steps, what);
    }
}

impl FromToml for Instruction {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let wrong = |why: &str| node.mistake(format!("`{}`: {why}", node.key));
        Self::parse(&String::from_toml(node)?).map_err(wrong).ok()
    }

    fn placeholder() -> Self {
        Self::default()
    }
}
