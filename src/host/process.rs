//! Reads files in another process. If a GPU hangs, opening or reading a file of its driver can
//! sleep forever, uninterruptible by any signal. So a child process reads the files, and is
//! abandoned if it does not respond.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::files::{Answer, Direct, Files, Question, Refusal};
use crate::program;

/// The argument that makes this program answer questions about files.
pub(crate) const WORD: &str = "answer-questions-about-files";
/// Time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum number of abandoned processes; after that, nothing more is read.
const LEFT_BEHIND: usize = 6;
/// Maximum length of a message between the processes, in bytes.
const LONGEST: u32 = 64 << 20;

/// A source of answers in a child process.
#[derive(Debug)]
pub struct Process {
    program: PathBuf,
    root: Option<PathBuf>,
    running: Option<Running>,
    patience: Duration,
    /// Paths that did not respond in time.
    hung: Vec<String>,
}

#[derive(Debug)]
struct Running {
    child: program::Running,
    questions: ChildStdin,
    answers: Receiver<Answer>,
}

impl Process {
    /// Uses `program`, which is this program, to read the files of this machine or those below
    /// `root`.
    #[must_use]
    pub const fn new(program: PathBuf, root: Option<PathBuf>) -> Self {
        Self { program, root, running: None, patience: PATIENCE, hung: Vec::new() }
    }

    /// Sets the time limit for each answer.
    pub const fn patient(&mut self, patience: Duration) -> &mut Self {
        self.patience = patience;
        self
    }

    /// Whether a file in the same directory, or in the directory of one of its parents, did not
    /// respond. Files of one driver all hang, and each would cost the whole time limit. The top
    /// directories `/proc` and `/sys` do not count.
    fn is_beside_a_hung_one(&self, path: &str) -> bool {
        self.hung.iter().any(|hung| {
            let folder = hung.rsplit_once('/').map_or("", |(folder, _)| folder);
            let deep = folder.matches('/').count() >= 3;
            hung == path
                || (deep && path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        })
    }

    fn running(&mut self) -> io::Result<&mut Running> {
        let running = match self.running.take() {
            Some(running) => running,
            None => start(&self.program, self.root.as_ref())?,
        };
        Ok(self.running.insert(running))
    }

    fn answered(&mut self, question: &Question) -> io::Result<Answer> {
        let patience = match question {
            Question::Run(run) => run.program.patience() + PATIENCE,
            _ => self.patience,
        };
        let running = self.running()?;
        send(question, &mut running.questions)?;
        if let Ok(answer) = running.answers.recv_timeout(patience) {
            return Ok(answer);
        }
        self.hung.push(question.path().to_owned());
        if let Some(left) = self.running.take() {
            left.child.kill_unawaited();
        }
        Ok(Answer::Refused(Refusal::TimedOut))
    }
}

impl Files for Process {
    fn ask(&mut self, question: &Question) -> Answer {
        if self.is_beside_a_hung_one(question.path()) || self.hung.len() >= LEFT_BEHIND {
            return Answer::Refused(Refusal::GivenUp);
        }
        self.answered(question).unwrap_or_else(|error| Answer::Refused(error.into()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(Running { mut child, questions, .. }) = self.running.take() else { return };
        // The child ends when its input is closed; between two questions nothing blocks it.
        drop(questions);
        let _ = child.ended_by(Some(Instant::now() + self.patience));
    }
}

fn start(program: &Path, root: Option<&PathBuf>) -> io::Result<Running> {
    let mut child = program::Launch::own(program)
        .arguments([WORD])
        .arguments(root)
        .input(Stdio::piped())
        .output(Stdio::piped())
        // A child that holds our standard error open would block whoever reads it.
        .complaints(Stdio::null())
        .start()?;
    let none = || io::Error::from(io::ErrorKind::BrokenPipe);
    let questions = child.take_input().ok_or_else(none)?;
    let mut from = child.take_output().ok_or_else(none)?;
    let (to, answers) = channel();
    thread::spawn(move || {
        while let Ok(Some(answer)) = receive(&mut from) {
            if to.send(answer).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, questions, answers })
}

/// Answers questions until the input ends: the main loop of the child process.
pub(crate) fn serve(
    root: Option<PathBuf>,
    mut from: impl Read,
    mut to: impl Write,
) -> io::Result<()> {
    program::answers_for_another();
    let mut files = Direct::new(root);
    while let Some(question) = receive::<Question>(&mut from)? {
        send(&files.ask(&question), &mut to)?;
    }
    Ok(())
}

/// Writes a message with its length before it.
fn send(message: &impl Serialize, to: &mut dyn Write) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&[length.to_le_bytes().as_slice(), &bytes].concat())?;
    to.flush()
}

/// Reads a message; `None` at the end of input.
fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        done => done?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    from.take(length.into()).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_answered_in_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("name"), "text").unwrap();
        let mut asked = Vec::new();
        let read = |offset| Question::Read { path: "/name".to_owned(), offset, limit: 3 };
        for question in [read(0), read(3), Question::List("/".to_owned())] {
            send(&question, &mut asked).unwrap();
        }
        let mut told = Vec::new();
        serve(Some(folder.path().to_owned()), asked.as_slice(), &mut told).unwrap();
        let mut told = told.as_slice();
        let mut next = || receive::<Answer>(&mut told).unwrap();
        assert_eq!(next(), Some(Answer::Bytes(b"tex".to_vec())));
        assert_eq!(next(), Some(Answer::Bytes(b"t".to_vec())));
        assert_eq!(next(), Some(Answer::Names(vec!["name".to_owned()])));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_hung_file_makes_its_neighbours_suspect() {
        let mut process = Process::new(PathBuf::new(), None);
        process.hung.push("/sys/bus/pci/devices/0000:03:00.0/config".to_owned());
        process.hung.push("/proc/cmdline".to_owned());
        for (path, suspect) in [
            ("/sys/bus/pci/devices/0000:03:00.0/vbios_version", true),
            ("/sys/bus/pci/devices/0000:03:00.0/fw_version/mes_fw_version", true),
            ("/sys/bus/pci/devices/0000:03:00.1/config", false),
            ("/proc/cmdline", true),
            ("/proc/version", false),
        ] {
            assert_eq!(process.is_beside_a_hung_one(path), suspect, "{path}");
        }
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let no = [0xff, 0xff, 0xff, 0xff, 1];
        assert!(receive::<Answer>(&mut no.as_slice()).is_err());
        assert!(receive::<Answer>(&mut [2, 0, 0, 0, 1].as_slice()).is_err());
        assert!(receive::<Answer>(&mut [].as_slice()).unwrap().is_none());
    }
}
