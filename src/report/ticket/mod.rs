//! A bug report for a tracker: with its headings and fields, in its order, filled in from log and
//! machine, ready to be pasted.

mod known;
mod sections;

use std::collections::BTreeMap;
use std::io;

use crate::bundle::{Absent, Member, Mentioned};
use crate::diagnosis::Finding;
use crate::document::counts::{any, distinct, joined};
use crate::event::device::Device;
use crate::event::log::Boot;
use crate::pattern::tracker::{Content, Section, Tracker, Value};
use crate::report::ReportPart;

use crate::document::markdown::escape::Inline;
use crate::document::untrusted::Untrusted;
use sections::Written;

/// Maximum length of a title, in characters; lists of issues show no more.
const TITLE: usize = 160;

/// The contents of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket<'t> {
    /// The tracker.
    pub tracker: &'t Tracker,
    /// Why this tracker.
    pub because: &'t str,
    /// The log with the reported failure, else the first log.
    pub part: Option<&'t ReportPart>,
    /// The index of the reported failure.
    pub finding: Option<usize>,
    /// The lines around its start.
    pub lines: &'t [QuotedLine],
    /// Facts about the machine in the log.
    pub mentioned: &'t Mentioned,
    /// Facts that were read from the machine.
    pub host: Option<&'t HostAnswers>,
    /// The other files of the bundle.
    pub files: &'t [Member],
    /// What is missing from it.
    pub absent: &'t [Absent],
}

/// Facts that were read from the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostAnswers {
    /// Single facts, as far as known.
    pub values: BTreeMap<Value, String>,
    /// The agents in the output of `rocminfo`.
    pub rocminfo: Option<String>,
    /// The version of the kernel's package.
    pub kernel_package: Option<String>,
    /// The chip, if the machine has exactly one kind.
    pub chip: Option<String>,
}

/// A line of a log, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuotedLine {
    /// Its line number, from 1.
    pub number: u64,
    pub text: String,
    /// Whether it belongs to the failure.
    pub marked: bool,
}

impl<'t> Ticket<'t> {
    fn finding(&self) -> Option<&'t Finding> {
        self.part?.conclusions.findings.get(self.finding?)
    }

    fn boot(&self) -> Option<(usize, &'t Boot)> {
        let part = self.part?;
        let last = part.log.boots.len().checked_sub(1)?;
        let at = self.finding().map_or(last, |finding| finding.incident.boot);
        Some((at, part.log.boots.get(at)?))
    }

    fn device(&self) -> Option<&'t Device> {
        let (boot, part) = (self.boot()?.0, self.part?);
        match self.finding() {
            Some(finding) => part.log.device(boot, finding.incident.device),
            None => part.log.devices.iter().rfind(|device| device.boot == boot),
        }
    }

    /// A title for the report.
    pub(crate) fn title(&self) -> String {
        let chip = self.device().and_then(|device| {
            let target = device.target.map(|target| target.to_string());
            match (device.asic.clone(), target) {
                (Some(asic), Some(target)) => Some(format!("{asic} ({target})")),
                (asic, target) => {
                    let generation = || device.generation.map(|one| one.to_string());
                    asic.or(target).or_else(generation)
                }
            }
        });
        let what = match self.finding().map(|finding| finding.diagnoses.first()) {
            Some(Some(head)) => head.title.trim_end_matches('.').to_owned(),
            Some(None) => "amdgpu fails".to_owned(),
            None if self.part.is_none() => "[what fails]".to_owned(),
            None => "[what fails; the kernel's log shows no failure]".to_owned(),
        };
        let of_host = || self.host?.chip.clone();
        let chip = chip.or_else(of_host).unwrap_or_else(|| "AMD GPU".to_owned());
        // Only the kernel's release; its build is below.
        let kernel = self.known(Value::Kernel);
        let release = kernel.as_deref().and_then(|kernel| kernel.split(' ').next());
        let kernel = release.map(|release| format!(" on {release}"));
        let title = format!("{chip}: {what}{}", kernel.unwrap_or_default());
        title.chars().take(TITLE).collect()
    }

    /// Search words for the same bug: the chip, and the words of the failure's first line that are
    /// not values.
    pub(crate) fn search_words(&self) -> Option<String> {
        let part = self.part?;
        let finding = self.finding()?;
        let first = finding.diagnoses.first().and_then(|head| head.proof.first());
        let at = first.or(finding.incident.events.first())?;
        let words = distinctive_words(&part.log.events[*at].text);
        let chip = self.device().and_then(|device| device.target).map(|target| target.to_string());
        any(chip.into_iter().chain(words), " ")
    }

    /// Writes the report in at most `limit` characters; evidence takes precedence over context.
    pub(crate) fn write(&self, limit: Option<usize>, out: &mut dyn io::Write) -> io::Result<()> {
        let head = self.head();
        let sections = &self.tracker.sections;
        let mut written: Vec<Written> =
            sections.iter().map(|section| sections::written(self, section)).collect();
        if let Some(limit) = limit {
            sections::cut(&mut written, limit.saturating_sub(head.chars().count()));
        }
        out.write_all(head.as_bytes())?;
        written.iter().try_for_each(|section| out.write_all(section.text.as_bytes()))
    }

    /// Instructions for the reader, in a comment that the tracker does not show.
    fn head(&self) -> String {
        let Tracker { name, file_at, attach, labels, notes, .. } = self.tracker;
        let mut lines = vec![
            format!("For: {name}"),
            format!("Why there: {}", self.because),
            format!("File at: {file_at}"),
            format!("Title: {}", self.title()),
            "Text: everything below, with what is in [square brackets] filled in".to_owned(),
            format!("Attachment: {attach}"),
        ];
        if !labels.is_empty() {
            lines.push(format!("Labels or component: {}", labels.join(", ")));
        }
        lines.extend(notes.iter().map(|note| format!("Note: {note}")));
        let lines = joined(lines.iter().map(|line| within_a_comment(line)), "\n");
        let comment = format!("<!--\n{lines}\n-->\n\n");
        // A mail has the title as its subject, and begins with the tracker's pseudo-headers.
        if self.tracker.plain {
            return comment;
        }
        format!("{comment}# {}\n\n", Inline(&self.title()))
    }
}

/// A line that cannot end the comment that contains it.
fn within_a_comment(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    for c in Untrusted(line).to_string().chars() {
        if matches!(c, '-' | '>' | '!') && safe.ends_with('-') {
            safe.push(' ');
        }
        safe.push(c);
    }
    safe
}

/// The words of a line before its first value, without the driver's name and the device.
fn distinctive_words(text: &str) -> Vec<String> {
    let words = text.split([' ', '\t', '=', '(', ')', '<', '>', ',', ';']);
    let word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let plain = word.len() > 1 && !word.chars().any(|c| c.is_ascii_digit() || c == ':');
        let name = matches!(word, "amdgpu" | "drm" | "kernel" | "ERROR");
        (plain && !name && word.is_ascii()).then(|| word.to_owned())
    };
    let mut told = distinct(words.filter_map(word));
    told.truncate(7);
    told
}

impl Section {
    /// The order of removal if the page is too long: first what is in other files of the bundle,
    /// too.
    const fn weight(&self) -> u8 {
        match self.content {
            Some(Content::Evidence | Content::DebianHead | Content::QuickLabels) => 0,
            Some(Content::Summary | Content::Steps | Content::Regression) => 1,
            None => 2,
            Some(Content::Duplicates | Content::Gaps | Content::Attachments) => 3,
            Some(Content::Versions) => 4,
            Some(Content::Diagnosis) => 5,
            Some(Content::Tried | Content::Rocminfo) => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_comment() {
        for (line, want) in [
            ("6.1.0--->x<!-- y", "6.1.0- - - >x<!- - y"),
            ("a --!> b", "a - - !> b"),
            ("gfx-1 -> 2", "gfx-1 - > 2"),
        ] {
            assert_eq!(within_a_comment(line), want);
        }
    }

    #[test]
    fn what_is_looked_for_has_no_values_in_it() {
        for (line, want) in [
            (
                "amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE",
                "MES failed to respond msg REMOVE_QUEUE",
            ),
            (
                "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14",
                "ring timeout signaled seq emitted",
            ),
            (
                "amdgpu 0000:03:00.0: [gfxhub] page fault (src_id:0 ring:24 vmid:5)",
                "gfxhub page fault",
            ),
        ] {
            assert_eq!(distinctive_words(line).join(" "), want);
        }
    }
}
