//! The program as a function of arguments, input and environment.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use super::{Json, schema};

/// One run of the program, not yet begun. Without an input, standard input is empty.
#[must_use = "nothing runs before `output` is called"]
pub(crate) struct Run {
    arguments: Vec<OsString>,
    input: Vec<u8>,
    variables: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

impl Run {
    /// A run with these arguments, in an empty environment of 80 columns.
    pub(crate) fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self {
            arguments: arguments.into_iter().map(Into::into).collect(),
            input: Vec::new(),
            variables: vec![("COLUMNS".to_owned(), "80".to_owned())],
            folder: None,
        }
    }

    /// A report in JSON on `log`.
    pub(crate) fn json(log: impl Into<Vec<u8>>) -> Self {
        Self::new(["--format", "json"]).input(log)
    }

    /// A report for people on `log`.
    pub(crate) fn human(log: impl Into<Vec<u8>>) -> Self {
        Self::new(["--color", "never"]).input(log)
    }

    /// With one more argument.
    pub(crate) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With this on standard input.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// With a variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// In another folder than the root of the repository.
    pub(crate) fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Runs it to its end.
    pub(crate) fn output(self) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_amdtriage"))
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.unwrap_or_else(|| super::root("")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = self.input;
        // A program that has seen enough closes its input: nothing that a test has to know.
        let writer = thread::spawn(move || stdin.write_all(&input).unwrap_or_default());
        let output = child.wait_with_output().expect("the program ends");
        writer.join().expect("writing does not panic");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("all output is UTF-8");
        let output = Output {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            // A signal has no status; no test wants one.
            status: output.status.code().unwrap_or(-1),
        };
        schema::check(&self.arguments, &output.stdout);
        output
    }
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
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

    /// Holds all of it against the snapshot `name`, without what changes with each version.
    #[track_caller]
    pub(crate) fn snapshot(&self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(super::root("tests/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.add_filter(r"by amdtriage \d+\.\d+\.\d+", "by amdtriage [version]");
        settings.add_filter(r#""version":( ?)"\d+\.\d+\.\d+""#, r#""version":$1"[version]""#);
        settings.add_filter(r#""patterns":( ?)"[0-9a-f]{64}""#, r#""patterns":$1"[digest]""#);
        settings.bind(|| insta::assert_snapshot!(name, self.told()));
    }
}
