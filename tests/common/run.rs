//! Runs the program with arguments, input and environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use super::{Json, child, other_user, schema, snapshot};

/// A run of the program, not started yet. Standard input is empty by default.
#[must_use = "nothing runs before `output` is called"]
pub(crate) struct Run {
    arguments: Vec<OsString>,
    input: Vec<u8>,
    variables: Vec<(String, String)>,
    folder: Option<PathBuf>,
    source: Option<String>,
    unprivileged: bool,
}

impl Run {
    /// A run with these arguments, in an empty environment, so that output has no width.
    pub(crate) fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self {
            arguments: arguments.into_iter().map(Into::into).collect(),
            input: Vec::new(),
            variables: Vec::new(),
            folder: None,
            source: None,
            unprivileged: false,
        }
    }

    /// A JSON report on `log`.
    pub(crate) fn json(log: impl Into<Vec<u8>>) -> Self {
        Self::new(["--format", "json"]).input(log)
    }

    /// A report for people on `log`.
    pub(crate) fn human(log: impl Into<Vec<u8>>) -> Self {
        Self::new(["--color", "never"]).input(log)
    }

    /// Adds an argument.
    pub(crate) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets standard input.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs without root privileges, so that programs are searched in `PATH`. Its input must be
    /// accessible to others.
    pub(crate) fn unprivileged(mut self) -> Self {
        self.unprivileged = true;
        self
    }

    /// Sets the working directory; the default is the root of the repository.
    pub(crate) fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Adds a note about the origin of its input, for snapshots.
    pub(crate) fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The command line, quoted for a shell, with the origin of its input after `#`.
    fn command(&self) -> String {
        let variables: BTreeMap<_, _> =
            self.variables.iter().map(|(name, value)| (name, value)).collect();
        let variables =
            variables.iter().map(|(name, value)| format!("{name}={} ", shell_words::quote(value)));
        let words: Vec<_> = self.arguments.iter().map(|word| word.to_string_lossy()).collect();
        let arguments = shell_words::join(&words);
        let source = match &self.source {
            Some(source) => format!(" # {source}"),
            None if self.input.is_empty() => String::new(),
            None => " # its input stands in the test".to_owned(),
        };
        format!("{}amdtriage {arguments}{source}", variables.collect::<String>())
    }

    /// Runs it to its end.
    pub(crate) fn output(self) -> Output {
        let command = self.command();
        let nobody = self.unprivileged && other_user::is_root();
        let mut program = if nobody {
            other_user::program()
        } else {
            Command::new(env!("CARGO_BIN_EXE_amdtriage"))
        };
        let folder = || if nobody { "/".into() } else { super::root("") };
        program
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.unwrap_or_else(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = child::start(&mut program).expect("the program starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = self.input;
        // A program that has seen enough closes its input, which is not an error.
        let writer = thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
        let output = child::end(child);
        writer.join().expect("writing does not panic");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("all output is UTF-8");
        let output = Output {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            // A run that ends by a signal has no status; no test expects one.
            status: output.status.code().unwrap_or(-1),
            command,
        };
        schema::check(&self.arguments, &output.stdout);
        output
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
    command: String,
}

/// Two runs are equal if their output and status are, regardless of their command lines.
impl PartialEq for Output {
    fn eq(&self, other: &Self) -> bool {
        (&self.stdout, &self.stderr, self.status) == (&other.stdout, &other.stderr, other.status)
    }
}

impl Output {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        Json::read(&self.stdout).unwrap_or_else(|error| {
            panic!("standard output is no JSON: {error}\n{}\n{}", self.stdout, self.stderr)
        })
    }

    /// Both outputs and the exit status.
    pub(crate) fn told(&self) -> String {
        format!("{}\n[exit status {}]\n{}", self.stdout, self.status, self.stderr)
    }

    /// Compares output and status with the snapshot `name`, without the version.
    #[track_caller]
    pub(crate) fn snapshot(&self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"by amdtriage \d+\.\d+\.\d+", "by amdtriage [version]");
        settings.add_filter(r#""version":( ?)"\d+\.\d+\.\d+""#, r#""version":$1"[version]""#);
        settings.bind(|| snapshot(name, &self.command, &self.told()));
    }
}
