//! Fixtures: a header with the expected result, an empty line, and a log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::{Output, Run, root};

/// A log and the expected result. `fixtures/README.md` describes the header.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixture {
    /// Its path below `fixtures/`.
    pub(crate) name: String,
    pub(crate) kernel: String,
    pub(crate) says: Vec<String>,
    pub(crate) notices: Vec<String>,
    pub(crate) outcome: Option<String>,
    /// The log without the header.
    pub(crate) log: Vec<u8>,
}

impl Fixture {
    /// The fixture at `name`, a path below `fixtures/`.
    #[track_caller]
    pub(crate) fn read(name: &str) -> Self {
        let bytes =
            fs::read(root("fixtures").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self::parse(name, &bytes).unwrap_or_else(|problem| panic!("{name}: {problem}"))
    }

    /// All fixtures in a directory of `fixtures/`, sorted by name.
    pub(crate) fn all(folder: &str) -> Vec<Self> {
        let base = root("fixtures");
        // A file without an extension is a program that generates fixtures.
        let mut files = files_below(&base.join(folder));
        files.retain(|file| file.extension().is_some());
        let names = files.iter().map(|path| path.strip_prefix(&base).unwrap().to_str().unwrap());
        names.map(Self::read).collect()
    }

    /// For each signature one log with it; the others differ in the driver's messages.
    pub(crate) fn one_of_each_signature() -> Vec<Self> {
        let mut all = Self::all("signatures");
        let mut ids = BTreeSet::new();
        all.retain(|fixture| fixture.is_hit() && ids.insert(fixture.id().to_owned()));
        all
    }

    /// The JSON report on it, with events; cached, because many tests use it.
    pub(crate) fn report(&self) -> Arc<Output> {
        static REPORTS: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Output>>>>> =
            Mutex::new(BTreeMap::new());
        let mut reports = REPORTS.lock().expect("nothing panics while it holds this");
        let report = Arc::clone(reports.entry(self.name.clone()).or_default());
        drop(reports);
        let made = || Arc::new(Run::json(self.log.as_slice()).argument("--events").output());
        Arc::clone(report.get_or_init(made))
    }

    /// The log as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.log.clone()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The name of its directory: for signatures their id.
    pub(crate) fn id(&self) -> &str {
        self.name.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Whether it is a hit, as opposed to a miss.
    pub(crate) fn is_hit(&self) -> bool {
        self.name.rsplit('/').next().is_some_and(|file| file.starts_with("hit-"))
    }

    fn parse(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let mut fixture = Self { name: name.to_owned(), ..Self::default() };
        let mut rest = bytes;
        let mut words = Vec::new();
        while rest.starts_with(b"# ") {
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or("the header has no end")?;
            let line = std::str::from_utf8(&rest[2..end]).map_err(|error| error.to_string())?;
            let (word, value) =
                line.split_once(": ").ok_or_else(|| format!("no word in `{line}`"))?;
            fixture.take(word, value)?;
            words.push(word.to_owned());
            rest = &rest[end + 1..];
        }
        if !words.is_empty() {
            rest = rest.strip_prefix(b"\n").ok_or("no empty line behind the header")?;
            for word in ["kernel", "gpu", "says", "why"] {
                if words.iter().filter(|known| *known == word).count() != 1 {
                    return Err(format!("`{word}` stands in the header once"));
                }
            }
        }
        rest.clone_into(&mut fixture.log);
        Ok(fixture)
    }

    fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
        let ids = || value.split_whitespace().map(str::to_owned).collect();
        match word {
            "kernel" => value.clone_into(&mut self.kernel),
            "gpu" | "why" => {}
            "says" if value == "nothing" => {}
            "says" => self.says = ids(),
            "notices" => self.notices = ids(),
            "outcome" => self.outcome = Some(value.to_owned()),
            _ => return Err(format!("`{word}` is no word of a header")),
        }
        Ok(())
    }
}

/// The files below `folder`, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
