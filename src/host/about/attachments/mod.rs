//! Output of the driver and its tools that is attached unchanged. Attachments that could not be
//! obtained are listed with the reason.

mod debugfs;
mod pci;
mod programs;
mod settings;

use serde::{Serialize, Serializer};

use crate::host::Host;
use crate::host::files::Refusal;
use crate::host::reader::Reader;

use super::Asked;
use super::details::Details;

pub use debugfs::files as debug_files;

/// Maximum length of a text in bytes.
const LIMIT: usize = 256 << 10;

/// How the user can obtain a text that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// To run amdtriage as root.
    Root,
    /// To run it again as the user of the desktop session.
    User,
    /// To install the program.
    Install(&'static str),
    /// To run it while the GPU is in use.
    Wake,
    /// To run it after a restart, when the GPU works.
    Restart,
    /// To run it on the machine itself.
    There,
}

/// A text that is attached as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attachment {
    /// What the file is called in the bundle: letters, digits, dots, hyphens, and one folder.
    pub name: String,
    /// The file or command that it came from.
    pub origin: String,
    /// What is in it, or why it is not there.
    #[serde(rename = "bytes", serialize_with = "length")]
    #[cfg_attr(test, schemars(with = "Option<usize>"))]
    pub content: Result<Vec<u8>, Refusal>,
    /// Whether it is only the beginning.
    pub(crate) cut: bool,
    /// What would help to get it.
    #[serde(skip)]
    pub help: Option<Help>,
}

fn length<S: Serializer>(content: &Result<Vec<u8>, Refusal>, to: S) -> Result<S::Ok, S::Error> {
    content.as_ref().ok().map(Vec::len).serialize(to)
}

impl Attachment {
    /// The flag in `content` says whether the text was cut.
    fn new(
        name: impl Into<String>,
        origin: impl Into<String>,
        content: Result<(Vec<u8>, bool), Refusal>,
    ) -> Self {
        let help = content.as_ref().err().and_then(Help::against);
        let cut = content.as_ref().is_ok_and(|(bytes, cut)| *cut || bytes.len() > LIMIT);
        let mut content = content.map(|(bytes, _)| bytes);
        if let Ok(bytes) = &mut content {
            bytes.truncate(LIMIT);
        }
        Self { name: name.into(), origin: origin.into(), content, cut, help }
    }

    fn of_text(name: &str, origin: &str, text: Result<String, Refusal>) -> Self {
        Self::new(name, origin, text.map(|text| (text.into_bytes(), false)))
    }
}

impl Help {
    /// What helps against a reason; `None` if the thing does not exist.
    pub(crate) const fn against(why: &Refusal) -> Option<Self> {
        match why {
            Refusal::Denied => Some(Self::Root),
            Refusal::Asleep => Some(Self::Wake),
            Refusal::GpuHangs | Refusal::TimedOut | Refusal::GivenUp => Some(Self::Restart),
            Refusal::Elsewhere => Some(Self::There),
            Refusal::AsRoot | Refusal::NoSession => Some(Self::User),
            Refusal::Missing
            | Refusal::Malformed
            | Refusal::TooLarge
            | Refusal::Circular
            | Refusal::Complained(_)
            | Refusal::Failed(_) => None,
        }
    }
}

/// All of them, in the order in which they are listed.
pub(super) fn read(
    reader: &mut Reader<'_>,
    host: &Host,
    details: &[Details],
    asked: &Asked,
    mut hangs: bool,
) -> Vec<Attachment> {
    let mut all = vec![
        settings::command_line(host),
        settings::parameters(reader, host),
        settings::modprobe(reader),
        pci::tree(reader, host),
    ];
    all.extend(programs::read(reader, host, details, asked, &mut hangs));
    all.extend(debugfs::read(reader, details, hangs));
    all
}
