//! Words with several fields, from interrupts, shader waves and error records.

use serde::{Deserialize, Serialize};

use super::enumeration::EnumerationKind;
use super::fault::Bits;
use super::silicon::{Fit, GfxPattern, Silicon, best_fit};
use crate::pattern::document::{Table, record};
use crate::pattern::source_anchor::SourceAnchor;
use crate::value::{comment_of, words};

words! {
    /// The kind of a word with several fields. Its name is used on the command line and in JSON.
    #[derive(strum::EnumMessage)]
    pub(crate) BitfieldKind {
        /// The ring byte of a page fault: `ring:24`.
        RingByte,
        /// The words of a shader interrupt.
        SqInterrupt,
        /// What a shader wave is doing: `SQ_WAVE_STATUS`.
        SqWaveStatus,
        /// Why a shader wave trapped, up to gfx11: `SQ_WAVE_TRAPSTS`.
        SqWaveTrapsts,
        /// Why a shader wave trapped, on gfx12: `SQ_WAVE_EXCP_FLAG_PRIV`.
        SqWaveExcpFlagPriv,
        /// Which calculations of a shader wave failed: `SQ_WAVE_EXCP_FLAG_USER`.
        SqWaveExcpFlagUser,
        /// The state of a shader wave: `SQ_WAVE_STATE_PRIV`.
        SqWaveStatePriv,
        /// Which blocks of the graphics core are busy: `GRBM_STATUS`.
        GrbmStatus,
        /// Which further blocks of it are busy: `GRBM_STATUS2`.
        GrbmStatus2,
        /// Which further blocks of it are busy, from gfx10 on: `GRBM_STATUS3`.
        GrbmStatus3,
        /// Which blocks of one shader engine are busy: `GRBM_STATUS_SE0`.
        GrbmStatusSe,
        /// Which parts of the command processor are busy: `CP_STAT`.
        CpStat,
        /// What the graphics command processor is busy with: `CP_BUSY_STAT`.
        CpBusyStat,
        /// Why the graphics command processor is stalled: `CP_STALLED_STAT1`.
        CpStalledStat1,
        /// The same, second word: `CP_STALLED_STAT2`.
        CpStalledStat2,
        /// The same, third word: `CP_STALLED_STAT3`.
        CpStalledStat3,
        /// What the compute command processor is doing: `CP_CPC_STATUS`.
        CpCpcStatus,
        /// What the compute command processor is busy with: `CP_CPC_BUSY_STAT`.
        CpCpcBusyStat,
        /// Why the compute command processor is stalled: `CP_CPC_STALLED_STAT1`.
        CpCpcStalledStat1,
        /// What the fetcher of the command processors is doing: `CP_CPF_STATUS`.
        CpCpfStatus,
        /// What the fetcher of the command processors is busy with: `CP_CPF_BUSY_STAT`.
        CpCpfBusyStat,
        /// Why the fetcher of the command processors is stalled: `CP_CPF_STALLED_STAT1`.
        CpCpfStalledStat1,
        /// What a copy engine is doing: `SDMA0_STATUS_REG`.
        SdmaStatus,
        /// The status of an error record: `ACA[01/01].STATUS=0xdc2040000000011b`.
        AcaStatus,
        /// Who made an error record: `ACA[01/01].IPID=0x0000009600002701`.
        AcaIpid,
        /// How many errors an error record stands for: `ACA[01/01].MISC0=0xd008000101000000`.
        AcaMisc0,
        /// What an error record says of its error: `ACA[01/01].SYND=0x0000000000000000`.
        AcaSynd,
        /// What failed when the GPU started: `fw_status: 0x8f`.
        RasBootStatus,
    }
}

impl BitfieldKind {
    /// What it is, in a few words.
    pub(crate) fn about(self) -> &'static str {
        comment_of(&self)
    }
}

record! {
    /// The layout of one or two words.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Bitfield {
        /// The kind of the words.
        pub kind: BitfieldKind,
        /// Their name.
        pub title: String,
        /// The text before them in a log, in lower case.
        pub printed: Vec<String>,
        /// The chips with this layout; empty for all.
        pub gfx: Vec<GfxPattern>,
        /// The number of words.
        pub words: usize,
        /// The values of the field `encoding` for which it applies; empty for all.
        pub encoding: Vec<u32>,
        /// A note about all values.
        pub note: Option<String>,
        /// The source of the layout.
        pub source: String,
        /// The source as anchors, for checking.
        pub anchors: Vec<SourceAnchor>,
        /// The fields, the lowest first.
        pub fields: Vec<WordField> = required,
    }
    check
}

record! {
    /// A field of such words.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct WordField {
        /// The name.
        pub name: String,
        /// The index of its word.
        pub word: usize = default(0),
        /// Its bits in the word.
        pub bits: Bits,
        /// Its meaning.
        pub means: Option<String>,
        /// The enumeration of its values.
        pub values: Option<EnumerationKind>,
        /// The value of `encoding` that it requires.
        pub encoding: Option<u32>,
    }
}

impl WordField {
    /// Its value; missing words count as 0.
    pub(crate) fn of(&self, words: &[u32]) -> u32 {
        self.bits.of(words.get(self.word).copied().unwrap_or_default())
    }

    /// Whether both can occur and share a bit.
    fn overlaps(&self, other: &Self) -> bool {
        let together =
            self.encoding.is_none() || other.encoding.is_none() || self.encoding == other.encoding;
        together && self.word == other.word && self.bits.mask() & other.bits.mask() != 0
    }
}

impl Bitfield {
    /// Whether words of a chip may have this layout, given the chip and the words.
    pub(crate) fn fit(&self, silicon: Silicon<'_>, words: &[u32]) -> Fit {
        let encoding = self.encoding_of(words);
        if encoding
            .is_some_and(|value| !self.encoding.is_empty() && !self.encoding.contains(&value))
        {
            return Fit::No;
        }
        self.fit_of_chip(silicon)
    }

    /// Whether words of a chip may have this layout, given only the chip.
    pub(crate) fn fit_of_chip(&self, silicon: Silicon<'_>) -> Fit {
        best_fit(&self.gfx, silicon)
    }

    /// The value of the field `encoding`, if there is one.
    pub(crate) fn encoding_of(&self, words: &[u32]) -> Option<u32> {
        self.fields.iter().find(|field| field.name == "encoding").map(|field| field.of(words))
    }

    fn check(&self, table: &Table<'_>) {
        let fields: Vec<(Table<'_>, WordField)> = table.entries_of("fields");
        for (index, (place, field)) in fields.iter().enumerate() {
            if field.word >= self.words {
                place.mistake(format!("there are {} words, counted from 0", self.words));
            }
            let mut earlier = fields.iter().take(index).map(|(_, other)| other);
            if let Some(other) = earlier.find(|other| other.overlaps(field)) {
                place.mistake(format!("`{}` overlaps `{}`", field.bits, other.name));
            }
        }
    }
}
