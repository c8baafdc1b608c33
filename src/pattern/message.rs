//! Message definitions: texts of the kernel and of GPU programs, and the event that each becomes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::constraint::KernelRange;
use super::document::{FromToml, Node, Table, record};
use super::form::Form;
use super::source::{Noun, hint, suggestion};
use super::template::Template;
use crate::kind::{Event, Kind};
use crate::value::field::{Conversion, FieldKind};
use crate::value::{Level, Mention, words};

words! {
    /// The sender of a message.
    pub Printer {
        /// The amdgpu driver, through any of the prefixes it has had.
        Amdgpu,
        /// The DRM core or scheduler.
        Drm,
        /// The memory manager that the drivers share.
        Ttm,
        /// The PCI core, on behalf of a device or port.
        Pci,
        /// The IOMMU driver of AMD machines.
        Iommu,
        /// The module vendor-reset, about a GPU that a virtual machine uses.
        VendorReset,
        /// The PCI core, about a device that is given to a virtual machine.
        Passthrough,
        /// The core of the kernel.
        Kernel,
        /// A program.
        Program,
    }
}

impl Printer {
    /// The driver and the parts of the kernel that print messages for it.
    pub(crate) const DRIVER: [Self; 3] = [Self::Amdgpu, Self::Drm, Self::Ttm];
    /// The printers whose messages are often copied without their name.
    pub(crate) const IN_PROSE: [Self; 4] = [Self::Amdgpu, Self::Drm, Self::Ttm, Self::Iommu];
}

record! {
    /// A message and the event that it becomes.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub struct Message {
        /// The stable identifier.
        pub id: String,
        /// The kinds of event that it can become; several for a line that continues any of them.
        pub(crate) kinds: Vec<Kind> as "event" = required,
        /// The level at which the kernel prints it.
        pub(crate) level: Option<Level>,
        /// The sources that print it.
        pub(crate) from: Vec<Printer> = required,
        /// Its forms.
        pub(crate) forms: Vec<Form> = later,
        /// Its meaning, in one sentence.
        pub(crate) means: Template,
        /// The kernels that have it.
        pub(crate) kernel: Option<KernelRange>,
        /// Its place in the source.
        pub source: String,
        /// Fields with a fixed value.
        pub(crate) constants: BTreeMap<String, String> as "set",
        /// Whether the line continues an event.
        pub(crate) joins: bool,
        /// Whether the line begins an event if there is none to continue.
        pub(crate) alone: bool,
        /// The event field with which the line is quoted as evidence next to the event's first
        /// line.
        pub(crate) quoted: Option<String>,
        /// The number of following lines that belong to it.
        pub(crate) keeps: u32 = default(0),
        /// Whether others also print or write these words; then a line with only these words and no
        /// prefix is not attributed to the driver, and a program's only in a log that names the
        /// target of an AMD GPU.
        pub(crate) shared: bool,
        /// With `shared`: what a line of the log must mention to show that the words are of a
        /// program on an AMD GPU.
        pub(crate) needs: Option<Mention>,
        /// Whether it may be part of a program's longer line.
        pub(crate) anywhere: bool,
        /// Lines that match this message and no other.
        pub samples: Vec<String> as "sample" = required,
    }
    check
}

impl Message {
    /// Its formats and expressions as in the pattern file.
    pub(crate) fn formats(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.forms.iter().map(Form::text).collect();
        // A format with `values` has one form for each.
        texts.dedup();
        texts
    }

    /// Whether this function of the source prints it: `amdgpu_job.c amdgpu_job_timedout`.
    pub(crate) fn is_of_function(&self, name: &str) -> bool {
        self.source.split([' ', ',', ';']).any(|word| word == name)
    }

    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Message, "id");
        if self.kinds.len() > 1 && !self.joins {
            table.mistake("only a message that `joins` may name several events");
        }
        let bare = [Printer::Amdgpu, Printer::Drm, Printer::Ttm, Printer::Kernel, Printer::Program];
        let is_wrong = !self.from.iter().any(|printer| bare.contains(printer));
        let what =
            "only what amdgpu, drm, ttm, kernel or programs print is read without an envelope";
        table.mistake_at("shared", is_wrong, what);
        let is_wrong = !self.shared || !self.from.contains(&Printer::Program);
        table.mistake_at("needs", is_wrong, "only a `shared` message of programs needs a mention");
        self.check_quoted(table);
        let is_wrong = self.keeps > 20_000;
        table.mistake_at("keeps", is_wrong, "`keeps` is a number of lines from 0 to 20000");
        if self.kinds.is_empty() {
            return;
        }
        for path in self.means.paths().filter(|path| field(&self.kinds, path).is_none()) {
            if let Some(means) = table.get("means") {
                let what = format!("this event has no field `{path}` to show");
                means.mistake_with_hint(what, field_hint(&self.kinds, path));
            }
        }
        for constant in table.tables("set").iter().flat_map(Table::entries) {
            self.check_constant(&constant);
        }
    }

    fn check_quoted(&self, table: &Table<'_>) {
        let what = "only a line that `joins` an event is quoted next to it";
        table.mistake_at("quoted", !self.joins, what);
        let unknown = self.quoted.as_deref().filter(|name| field(&self.kinds, name).is_none());
        if let Some((name, node)) = unknown.zip(table.get("quoted")) {
            let what = format!("this event has no field `{name}`");
            node.mistake_with_hint(what, field_hint(&self.kinds, name));
        }
    }

    fn check_constant(&self, constant: &Node<'_>) {
        let name = constant.key;
        let Some(text) = constant.text() else { return };
        let fits = |kind: &Kind| Event::empty(*kind).set(name, text, Conversion::Text);
        if field(&self.kinds, name).is_none() {
            let what = format!("this event has no field `{name}`");
            constant.mistake_with_hint(what, field_hint(&self.kinds, name));
        } else if !self.kinds.iter().any(fits) {
            constant.mistake(format!("`{text}` is no value of `{name}`"));
        }
    }
}

impl FromToml for Kind {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let name = String::from_toml(node)?;
        let found = Self::read(&name);
        if found.is_none() {
            let hint = suggestion(&name, Self::ALL.iter().map(|kind| kind.name()))
                .unwrap_or_else(|| "the kinds are listed in patterns/README.md".to_owned());
            node.mistake_with_hint(format!("there is no event kind `{name}`"), hint);
        }
        found
    }

    fn placeholder() -> Self {
        Self::ALL[0]
    }
}

/// The definition of field `name` in the first of `kinds` that has it.
pub(crate) fn field(kinds: &[Kind], name: &str) -> Option<FieldKind> {
    let all = kinds.iter().flat_map(|kind| kind.fields());
    all.into_iter().find(|field| field.name == name).map(|field| field.kind)
}

/// A hint for an unknown field name.
pub(crate) fn field_hint(kinds: &[Kind], name: &str) -> String {
    let fields = kinds.iter().flat_map(|kind| kind.fields());
    hint(name, fields.map(|field| field.name))
}
