//! The origin of the driver and the kernel command line.

use std::collections::BTreeMap;

use serde::Serialize;

use super::GoodBad;
use crate::event::log::Boot;
use crate::pattern::machine::{Compared, Concern};
use crate::value::command_line_words;

/// The origin of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver<'l> {
    /// The kernel.
    Own,
    /// AMD's package (DKMS), with its version if the log has it.
    Package(Option<&'l str>),
}

impl<'l> Driver<'l> {
    /// The origin that the log of `boot` shows; `None` if the log does not contain the driver's
    /// start.
    pub(super) fn of(boot: &'l Boot) -> Option<Self> {
        let package = boot.package.as_ref();
        let package = package.map(|package| Self::Package(package.version.as_deref()));
        package.or_else(|| boot.interface.map(|_| Self::Own).filter(|_| boot.from_start))
    }
}

/// What a word of the command line is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ParameterValue"))]
#[serde(into = "Option<String>")]
pub(crate) enum Setting {
    /// The word alone.
    Flag,
    /// A value.
    Value(String),
    /// A value that names private disks or networks.
    Private,
}

impl From<Setting> for Option<String> {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Flag => None,
            Setting::Value(value) => Some(value),
            Setting::Private => Some("…".to_owned()),
        }
    }
}

/// A word of the kernel command line that differs. What is set several times has all its values, in
/// order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ParameterChange"))]
pub(crate) struct OptionChange {
    /// What it is called, `-` as `_`.
    pub name: String,
    /// What it is about.
    pub concern: Concern,
    /// What the good one has, `None` for a word without a value; nothing where it has none.
    pub good: Vec<Setting>,
    /// The words of the bad boot. Values that name private disks or networks are `…`.
    pub bad: Vec<Setting>,
}

impl OptionChange {
    /// Whether it may change how a GPU works.
    pub(crate) fn is_of_a_gpu(&self) -> bool {
        self.concern == Concern::Gpu
    }
}

/// The values of each word, by its normalized name.
type Words = BTreeMap<String, Vec<Option<String>>>;

fn words(line: &str) -> Words {
    let mut words = Words::new();
    for word in command_line_words(line) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word, None),
        };
        // The kernel treats `-` and `_` alike: kernel/params.c `dash2underscore`.
        words.entry(name.replace('-', "_")).or_default().push(value);
    }
    words
}

/// The words that differ, those that concern a GPU first.
pub(super) fn options(line: GoodBad<&str>, known: &Compared) -> Option<Vec<OptionChange>> {
    let (good, mut bad) = (words(line.good?), words(line.bad?));
    let mut changes = Vec::new();
    for (name, good) in good {
        let bad = bad.remove(&name).unwrap_or_default();
        changes.extend(change(name, good, bad, known));
    }
    changes.extend(bad.into_iter().filter_map(|(name, bad)| change(name, Vec::new(), bad, known)));
    changes.sort_by(|a, b| (a.concern, &a.name).cmp(&(b.concern, &b.name)));
    Some(changes)
}

fn change(
    name: String,
    good: Vec<Option<String>>,
    bad: Vec<Option<String>>,
    known: &Compared,
) -> Option<OptionChange> {
    let concern = known.concern(&name);
    if good == bad || concern == Concern::Trivial {
        return None;
    }
    let setting = |value: Option<String>| match value {
        None => Setting::Flag,
        Some(_) if concern == Concern::Private => Setting::Private,
        Some(value) => Setting::Value(value),
    };
    let settings = |values: Vec<Option<String>>| values.into_iter().map(setting).collect();
    Some(OptionChange { name, concern, good: settings(good), bad: settings(bad) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(good: &str, bad: &str) -> Vec<(String, usize, usize)> {
        let known = &crate::builtin::patterns().machines.compared;
        let line = GoodBad { good: Some(good), bad: Some(bad) };
        let changes = options(line, known).unwrap();
        changes.into_iter().map(|it| (it.name, it.good.len(), it.bad.len())).collect()
    }

    fn change(name: &str, good: usize, bad: usize) -> (String, usize, usize) {
        (name.to_owned(), good, bad)
    }

    #[test]
    fn words_of_a_gpu_come_first_and_trivial_ones_not_at_all() {
        let good = "BOOT_IMAGE=/vmlinuz-1 root=UUID=1 ro quiet audit=0 amdgpu.dc=1";
        let bad =
            "BOOT_IMAGE=/vmlinuz-2 root=UUID=2 ro splash amdgpu.cwsr_enable=0 iommu=pt amdgpu.dc=1";
        assert_eq!(
            changes(good, bad),
            [
                change("amdgpu.cwsr_enable", 0, 1),
                change("iommu", 0, 1),
                change("audit", 1, 0),
                change("root", 1, 1)
            ]
        );
    }

    #[test]
    fn order_and_spelling_of_names_do_not_count() {
        assert!(changes("a-b=1 c", "c  a_b=1").is_empty());
        assert_eq!(changes("a=1 a=2", "a=2 a=1"), [change("a", 2, 2)]);
        assert_eq!(changes("a=", "a"), [change("a", 1, 1)]);
    }

    #[test]
    fn without_a_command_line_nothing_is_said_of_it() {
        let known = Compared::default();
        assert_eq!(options(GoodBad { good: None, bad: Some("a") }, &known), None);
    }

    #[test]
    fn private_values_are_not_kept() {
        let known = &crate::builtin::patterns().machines.compared;
        let line = GoodBad { good: Some("root=UUID=secret1"), bad: Some("root=UUID=secret2") };
        assert!(!format!("{:?}", options(line, known)).contains("secret"));
    }
}
