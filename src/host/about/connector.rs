//! The display connectors of a GPU.

use serde::Serialize;

use crate::host::json::OrNull;
use crate::host::reader::{Fact, Reader};

/// A place for a display. What the display says of itself (EDID) has its serial number, and is not
/// read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Connector {
    /// Its name: `DP-1`.
    pub name: String,
    /// `connected`, `disconnected` or `unknown`.
    #[serde(with = "OrNull::<String>")]
    pub status: Fact<String>,
    /// Whether a picture is sent to it: `enabled` or `disabled`.
    #[serde(with = "OrNull::<String>")]
    pub enabled: Fact<String>,
    /// `On`, `Off` and two between them.
    #[serde(with = "OrNull::<String>")]
    pub dpms: Fact<String>,
    /// The mode that its display likes best: `2560x1440`; `None` where it names none.
    #[serde(with = "OrNull::<Option<String>>")]
    pub mode: Fact<Option<String>>,
}

impl Connector {
    /// Whether a display is there.
    pub(crate) fn is_connected(&self) -> bool {
        self.status.as_deref() == Ok("connected")
    }
}

/// The connectors in the directory of a card: `…/drm/card1`.
pub(super) fn read(reader: &mut Reader<'_>, card: &str) -> Fact<Vec<Connector>> {
    let number = card.rsplit('/').next().unwrap_or_default();
    let names = reader.names(card)?;
    let prefix = format!("{number}-");
    let connector = |name: &String| {
        let short = name.strip_prefix(&prefix)?.to_owned();
        let mut text = |file: &str| reader.text(&format!("{card}/{name}/{file}"));
        let first = |modes: String| modes.lines().next().map(str::to_owned);
        Some(Connector {
            name: short,
            status: text("status"),
            enabled: text("enabled"),
            dpms: text("dpms"),
            mode: text("modes").map(first),
        })
    };
    Ok(names.iter().filter_map(connector).collect())
}
