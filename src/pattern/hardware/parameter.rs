//! The parameters of the amdgpu module: which kernels have them, and the bits of those that are
//! masks.

use serde::{Deserialize, Serialize};

use super::span::Span;
use crate::pattern::fields::Fields;
use crate::pattern::source::Sources;
use crate::value::KernelVersion;

/// Which kernels have a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// None ever had: a name that people use in error.
    Never,
    /// Some.
    In(Span),
}

/// A parameter of the amdgpu module, or a name that people take for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, without `amdgpu.`.
    pub name: String,
    /// Which kernels have it.
    pub life: Life,
    /// What people often get wrong about it.
    pub note: Option<String>,
    /// For a name that does not exist: the parameter that was probably meant.
    pub instead: Option<String>,
    /// Its bits, if it is a mask whose bits are known.
    pub mask: Option<Mask>,
}

impl Parameter {
    /// Whether the driver of `kernel` has the parameter; `None` where that is not known.
    #[must_use]
    pub fn exists_in(&self, kernel: Option<KernelVersion>) -> Option<bool> {
        match &self.life {
            Life::Never => Some(false),
            Life::In(span) => span.holds(kernel),
        }
    }

    pub(super) fn read(
        sources: &mut Sources<'_>,
        mut fields: Fields<'_>,
        checked: &[KernelVersion],
    ) -> Option<Self> {
        let name = fields.required_text(sources, "name");
        let never = fields.flag(sources, "never");
        let span = Span::read(sources, &mut fields, checked);
        let note = fields.text(sources, "note").map(|text| text.value);
        let instead = fields.text(sources, "instead").map(|text| text.value);
        if !never && instead.is_some() {
            sources.mistake(fields.place(), "`instead` is for names that do not exist");
        }
        fields.finish(sources);
        let life = if never { Life::Never } else { Life::In(span) };
        Some(Self { name: name?.value, life, note, instead, mask: None })
    }
}

/// The bits of a parameter that is a mask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    /// The value without the parameter, by kernel, oldest first.
    defaults: Vec<(u32, Span)>,
    /// The bits that have a name, in the order of the file.
    pub bits: Vec<MaskBit>,
}

/// One bit of a mask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskBit {
    /// Its value. One kernel tests two bits under one name; then both are set here.
    pub bit: u32,
    /// Its name in the driver's source.
    pub name: String,
    /// What it does when set.
    pub does: Option<String>,
    /// The kernels in which it has this meaning.
    pub span: Span,
}

impl Mask {
    /// The value that `kernel` uses where nobody sets one; the newest kernel's for an unknown one.
    #[must_use]
    pub fn default_in(&self, kernel: Option<KernelVersion>) -> Option<u32> {
        let value = match kernel {
            None => self.defaults.last(),
            Some(_) => self.defaults.iter().find(|(_, span)| span.holds(kernel) == Some(true)),
        };
        value.map(|(value, _)| *value)
    }

    pub(super) fn read(
        sources: &mut Sources<'_>,
        mut fields: Fields<'_>,
        checked: &[KernelVersion],
    ) -> Self {
        let mut mask = Self::default();
        for mut table in fields.tables(sources, "default") {
            let value = word(sources, &mut table, "value");
            let span = Span::read(sources, &mut table, checked);
            table.finish(sources);
            mask.defaults.extend(value.map(|value| (value, span)));
        }
        for table in fields.tables(sources, "bits") {
            mask.read_bit(sources, table, checked);
        }
        fields.require(sources, "default", !mask.defaults.is_empty());
        fields.require(sources, "bits", !mask.bits.is_empty());
        fields.finish(sources);
        mask
    }

    fn read_bit(
        &mut self,
        sources: &mut Sources<'_>,
        mut table: Fields<'_>,
        checked: &[KernelVersion],
    ) {
        let bit = word(sources, &mut table, "bit");
        let name = table.required_text(sources, "name");
        let does = table.text(sources, "does").map(|text| text.value);
        let span = Span::read(sources, &mut table, checked);
        let place = table.place().clone();
        table.finish(sources);
        let (Some(bit), Some(name)) = (bit, name) else { return };
        let same = |other: &&MaskBit| other.bit == bit && other.span.meets(&span);
        if let Some(other) = self.bits.iter().find(same) {
            sources.mistake(&place, format!("bit 0x{bit:x} is {} already", other.name));
        }
        if bit == 0 {
            sources.mistake(&place, "`bit` is 0, which is no bit");
        }
        self.bits.push(MaskBit { bit, name: name.value, does, span });
    }
}

/// A 32-bit number.
fn word(sources: &mut Sources<'_>, table: &mut Fields<'_>, key: &'static str) -> Option<u32> {
    let found = table.integer(sources, key);
    table.require(sources, key, found.is_some());
    let found = found?;
    let value = u32::try_from(found.value).ok();
    if value.is_none() {
        sources.mistake(&found.place, format!("`{key}` must be from 0 to 0xffffffff"));
    }
    value
}
