//! Recognises the events of each machine that wrote into an input.

use super::{Progress, Recognised, Recogniser};
use crate::input::Words;
use crate::pattern::Patterns;
use crate::record::{Read, Said, Visit};

/// A recogniser for each machine, with a common budget.
#[derive(Debug)]
pub(crate) struct Recognisers<'p> {
    patterns: &'p Patterns,
    all: Vec<Recogniser<'p>>,
}

/// The state of all recognisers without their patterns.
#[derive(Debug)]
pub(crate) struct AllProgress(Vec<Progress>);

impl AllProgress {
    /// Continues with `patterns`.
    pub(crate) fn by(self, patterns: &Patterns) -> Recognisers<'_> {
        let all = self.0.into_iter().map(|one| one.by(patterns)).collect();
        Recognisers { patterns, all }
    }
}

impl<'p> Recognisers<'p> {
    /// Starts with one machine.
    pub(crate) fn new(patterns: &'p Patterns) -> Self {
        Self { patterns, all: vec![Recogniser::new(patterns)] }
    }

    /// The recognisers of all machines.
    pub(crate) fn all(&self) -> &[Recogniser<'p>] {
        &self.all
    }

    /// The same, to be changed.
    pub(crate) fn all_mut(&mut self) -> &mut [Recogniser<'p>] {
        &mut self.all
    }

    /// Detaches the patterns.
    pub(crate) fn progress(self) -> AllProgress {
        AllProgress(self.all.into_iter().map(Recogniser::progress).collect())
    }

    /// The result for each machine.
    pub(crate) fn finish(self) -> Vec<Recognised> {
        self.all.into_iter().map(Recogniser::finish).collect()
    }

    fn of(&mut self, machine: usize) -> &mut Recogniser<'p> {
        if machine >= self.all.len() {
            self.all.resize_with(machine + 1, || Recogniser::new(self.patterns));
            let machines = self.all.len();
            for recogniser in &mut self.all {
                recogniser.budget.share(machines);
            }
        }
        &mut self.all[machine]
    }
}

impl Visit for Recognisers<'_> {
    fn see(&mut self, read: Read<'_>) {
        match read {
            Read::Record(record) => self.of(record.machine).record(record),
            Read::Passed(_) | Read::Hole(_) => self.all[0].see(read),
        }
    }

    fn words(&self) -> Option<&Words> {
        self.all[0].words()
    }

    fn wants_next(&self) -> bool {
        self.all.iter().any(Recogniser::wants_next)
    }

    fn prefix(&self, text: &str) -> Option<usize> {
        self.all[0].prefix(text)
    }

    fn is_kernel_text(&self, text: &str) -> bool {
        self.all[0].is_kernel_text(text)
    }

    fn is_unfinished(&self, text: &str) -> bool {
        self.all[0].is_unfinished(text)
    }

    fn said<'t>(&self, introduction: &str, text: &'t str) -> Said<'t> {
        self.all[0].said(introduction, text)
    }

    fn titled<'t>(&self, introduction: &str, text: &'t str, is_sure: bool) -> Option<&'t str> {
        self.all[0].titled(introduction, text, is_sure)
    }

    fn message(&self, text: &str) -> bool {
        self.all[0].message(text)
    }

    /// The machine of skipped lines is unknown. Their number shows for each machine that the input
    /// was not filtered.
    fn skimmed(&mut self, of_kernel: u64, of_another: Option<u64>) {
        for recogniser in &mut self.all {
            recogniser.skimmed(of_kernel, of_another);
        }
    }
}
