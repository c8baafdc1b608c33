//! The values that kernel messages carry, each as a type that reads and prints itself.
//!
//! Nothing here knows where a value was found; the module stands before all others.

mod chip;
mod command_line;
mod conclusion;
mod disagreement;
mod driver;
mod fault;
pub mod field;
mod level;
mod number;
mod pci;
mod private;
mod text;
mod trouble;
mod words;

pub(crate) use words::words;

pub use chip::{GfxGeneration, GfxTarget, NotAGfxTarget};
pub use command_line::command_line_words;
pub use conclusion::{Layer, Outcome, Role, Severity, Trust};
pub use disagreement::{Disagreement, Disagreements};
pub use driver::{
    DeviceKind, Hub, MesOpcode, ResetMethod, ResetSource, Ring, RingKind, UnmapRequest,
};
pub use fault::FaultBits;
pub use level::Level;
pub use number::{Errno, Hex, KernelVersion, Micros, NotAKernelVersion, hexadecimal};
pub use pci::{NotAPciAddress, NotAPciId, PciAddress, PciId};
pub use private::{PrivateKind, Token};
pub use text::{Frame, Frames, Text, Words, unique};
pub use trouble::{
    AerSeverity, DisplayWait, DmubStatus, LockupKind, PciChannel, Phase, RasKind, ShaderErrorKind,
};
pub(crate) use words::words;
