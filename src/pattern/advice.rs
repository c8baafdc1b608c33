//! Advice: what a person can do, each piece written once.

use serde::{Deserialize, Serialize};

use super::document::{FromToml, Node, Table, record};
use super::instruction::Instruction;
use super::source::Noun;
pub(crate) use crate::value::Trust;
use crate::value::{HardwareClass, PciAddress};

record! {
    /// A kernel parameter that a piece of advice sets.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Setting {
        /// The parameter as it stands on the kernel's command line: `amdgpu.runpm`, `iommu`.
        pub parameter: String,
        /// Its value.
        pub value: String,
    }
}

record! {
    /// One thing to do.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Advice {
        /// Its stable name.
        pub id: String,
        /// What to do, in one line.
        pub(crate) summary: String,
        /// What to type; lines that begin with `#` say for whom. `{device}` is the PCI address.
        pub command: Option<String> = trimmed,
        /// Why it may help.
        pub(crate) why: String,
        /// What it may cost.
        pub(crate) risk: String,
        /// How to see that it took effect.
        pub(crate) verify: Instruction,
        /// How well it is founded.
        pub(crate) trust: Trust,
        /// On what: a document, a file of the kernel's source, or who says so.
        pub source: String,
        /// What it sets, where a log can show that it is set already.
        pub sets: Option<Setting>,
        /// Whether it is of use only while the boot that failed still runs.
        pub(crate) now: bool,
        /// Whether it only collects what is known, so that nobody can have tried it as a remedy.
        pub(crate) collects: bool,
        /// The classes of hardware that it is for; all, where there is none.
        pub(crate) classes: Vec<HardwareClass>,
    }
    check
}

impl Advice {
    /// The advice with the PCI address of the GPU that it is for.
    pub(crate) fn filled(&self, device: Option<PciAddress>) -> Self {
        let device = device.map_or_else(|| "PCI_ADDRESS".to_owned(), |device| device.to_string());
        let here = |text: &str| text.replace("{device}", &device);
        Self {
            summary: here(&self.summary),
            command: self.command.as_deref().map(here),
            why: here(&self.why),
            risk: here(&self.risk),
            verify: self.verify.map(here),
            ..self.clone()
        }
    }

    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Advice, "id");
        // Advice never sets a parameter that the driver does not have.
        let sets = table.tables("sets").into_iter().filter_map(|sets| sets.get("parameter"));
        for parameter in sets {
            if let Some(name) = parameter.text().and_then(|name| name.strip_prefix("amdgpu.")) {
                parameter.uses(Noun::Parameter, name);
            }
        }
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
