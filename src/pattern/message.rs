//! Message definitions: what the kernel and GPU programs print, and the event each line becomes.

use serde::{Deserialize, Serialize};

use super::constraint::KernelRange;
use super::fields::Fields;
use super::form::{Form, forms};
use super::source::{At, Sources, suggestion};
use super::template::Template;
use crate::kind::Kind;
use crate::value::Level;
use crate::value::field::{Conversion, FieldKind};

/// Who prints a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Printer {
    /// The amdgpu driver, through any of the prefixes it has had.
    Amdgpu,
    /// The DRM core or scheduler, on behalf of a driver.
    Drm,
    /// The memory manager that the drivers share.
    Ttm,
    /// The PCI core, on behalf of a device or port.
    Pci,
    /// The IOMMU driver of AMD machines.
    Iommu,
    /// The core of the kernel.
    Kernel,
    /// A program.
    Program,
}

impl Printer {
    const NAMES: [(&'static str, Self); 7] = [
        ("amdgpu", Self::Amdgpu),
        ("drm", Self::Drm),
        ("ttm", Self::Ttm),
        ("pci", Self::Pci),
        ("iommu", Self::Iommu),
        ("kernel", Self::Kernel),
        ("program", Self::Program),
    ];

    /// The word used in pattern files.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, printer)| *printer == self).map_or("", |(name, _)| name)
    }

    fn read(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, printer)| *printer)
    }
}

/// A message and the event that it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its stable name.
    pub id: String,
    /// The event's kind; several where the line continues whichever of them has begun.
    pub kinds: Vec<Kind>,
    /// How loud the kernel prints it.
    pub level: Option<Level>,
    /// Who prints it.
    pub from: Vec<Printer>,
    /// How it has been printed.
    pub forms: Vec<Form>,
    /// What it means, in one sentence.
    pub means: Template,
    /// The kernels whose source has it.
    pub kernel: Option<KernelRange>,
    /// Where in the source it stands.
    pub source: String,
    /// Fields whose value is the same in every such message.
    pub constants: Vec<(String, String)>,
    /// Whether the line continues an event that has begun.
    pub joins: bool,
    /// Whether a line that could continue an event, but has none to continue, begins one.
    pub alone: bool,
    /// How many of the following lines belong to the same block.
    pub keeps: u32,
    /// Whether the text may stand inside a program's line.
    pub anywhere: bool,
    /// Texts that this message matches and no other does.
    pub samples: Vec<String>,
}

impl Message {
    /// Its formats and expressions as the pattern file has them.
    #[must_use]
    pub fn formats(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.forms.iter().map(Form::text).collect();
        // A format with values is one form for each.
        texts.dedup();
        texts
    }

    /// Reads one `[[message]]`; `None` where a mistake leaves nothing to work with.
    pub fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<At<Self>> {
        let id = fields.required_text(sources, "id");
        let kinds = kinds(sources, &mut fields, "event");
        let from = printers(sources, &mut fields);
        let mut message = Self {
            id: id.as_ref().map(|id| id.value.clone()).unwrap_or_default(),
            level: level(sources, &mut fields),
            from,
            forms: Vec::new(),
            means: means(sources, &mut fields, &kinds),
            kernel: kernel(sources, &mut fields),
            source: fields.required_text(sources, "source").map(|at| at.value).unwrap_or_default(),
            constants: constants(sources, &mut fields, &kinds),
            joins: fields.flag(sources, "joins"),
            alone: fields.flag(sources, "alone"),
            keeps: keeps(sources, &mut fields),
            anywhere: fields.flag(sources, "anywhere"),
            samples: Vec::new(),
            kinds,
        };
        message.forms = forms(sources, &mut fields, &message.kinds);
        message.samples = samples(sources, &mut fields);
        if message.kinds.len() > 1 && !message.joins {
            sources.mistake(fields.place(), "only a message that `joins` may name several events");
        }
        fields.finish(sources);
        let id = id?;
        (!message.kinds.is_empty()).then_some(At { value: message, place: id.place })
    }
}

/// Reads the event kinds that `key` names.
pub fn kinds(sources: &mut Sources<'_>, fields: &mut Fields<'_>, key: &'static str) -> Vec<Kind> {
    let names = fields.texts(sources, key);
    fields.require(sources, key, !names.is_empty());
    let mut kinds = Vec::new();
    for name in names {
        match Kind::read(&name.value) {
            Some(kind) => kinds.push(kind),
            None => {
                let what = format!("there is no event kind `{}`", name.value);
                let known = Kind::ALL.iter().map(|kind| kind.name());
                let hint = suggestion(&name.value, known)
                    .unwrap_or_else(|| "the kinds are listed in patterns/README.md".to_owned());
                sources.mistake_with_hint(&name.place, what, hint);
            }
        }
    }
    kinds
}

fn printers(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Vec<Printer> {
    let names = fields.texts(sources, "from");
    fields.require(sources, "from", !names.is_empty());
    let mut printers = Vec::new();
    for name in names {
        match Printer::read(&name.value) {
            Some(printer) => printers.push(printer),
            None => sources.mistake_with_hint(
                &name.place,
                format!("nobody called `{}` prints messages", name.value),
                "known are amdgpu, drm, ttm, pci, iommu, kernel and program",
            ),
        }
    }
    printers
}

fn level(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Option<Level> {
    let text = fields.text(sources, "level")?;
    let found = Level::read(&text.value);
    if found.is_none() {
        let what = format!("`{}` is no level", text.value);
        let hint = Level::names().join(", ");
        sources.mistake_with_hint(&text.place, what, format!("levels are {hint}"));
    }
    found
}

/// Reads a kernel range.
pub fn kernel(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Option<KernelRange> {
    let text = fields.text(sources, "kernel")?;
    text.value.parse().map_err(|shape: &str| sources.mistake(&text.place, shape)).ok()
}

fn keeps(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> u32 {
    let Some(lines) = fields.integer(sources, "keeps") else { return 0 };
    u32::try_from(lines.value).ok().filter(|lines| *lines <= 20_000).unwrap_or_else(|| {
        sources.mistake(&lines.place, "`keeps` is a number of lines from 0 to 20000");
        0
    })
}

/// The definition of field `name` in the first of `kinds` that has it.
#[must_use]
pub fn field(kinds: &[Kind], name: &str) -> Option<FieldKind> {
    let all = kinds.iter().flat_map(|kind| kind.fields());
    all.into_iter().find(|field| field.name == name).map(|field| field.kind)
}

/// `did you mean …` for a field name.
#[must_use]
pub fn field_hint(kinds: &[Kind], name: &str) -> String {
    let names = || kinds.iter().flat_map(|kind| kind.fields()).map(|field| field.name);
    suggestion(name, names())
        .unwrap_or_else(|| format!("its fields are {}", names().collect::<Vec<_>>().join(", ")))
}

fn means(sources: &mut Sources<'_>, fields: &mut Fields<'_>, kinds: &[Kind]) -> Template {
    let Some(text) = fields.required_text(sources, "means") else { return Template::default() };
    let Ok(template) = Template::parse(&text.value) else {
        sources.mistake(&text.place, "a brace in this text has no partner");
        return Template::default();
    };
    for path in template.paths().filter(|path| field(kinds, path).is_none()) {
        let what = format!("this event has no field `{path}` to show");
        sources.mistake_with_hint(&text.place, what, field_hint(kinds, path));
    }
    template
}

fn constants(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    kinds: &[Kind],
) -> Vec<(String, String)> {
    let Some(table) = fields.table(sources, "set") else { return Vec::new() };
    let mut constants = Vec::new();
    for (name, value) in table.entries() {
        let place = name.place.clone();
        let Some(text) = value.value.as_str() else {
            sources.mistake(&place, "a constant is written as text, as the kernel would print it");
            continue;
        };
        if field(kinds, &name.value).is_none() {
            let what = format!("this event has no field `{}`", name.value);
            sources.mistake_with_hint(&place, what, field_hint(kinds, &name.value));
        } else if !constant_fits(kinds, &name.value, text) {
            sources.mistake(&place, format!("`{text}` is no value of `{}`", name.value));
        }
        constants.push((name.value, text.to_owned()));
    }
    constants
}

fn constant_fits(kinds: &[Kind], name: &str, text: &str) -> bool {
    kinds.iter().any(|kind| crate::kind::Event::empty(*kind).set(name, text, Conversion::Text))
}

fn samples(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Vec<String> {
    let samples = fields.texts(sources, "sample");
    fields.require(sources, "sample", !samples.is_empty());
    samples.into_iter().map(|sample| sample.value).collect()
}
