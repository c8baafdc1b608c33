//! The events of each machine that writes into one input.

use super::{Progress, Recognised, Recogniser};
use crate::input::Words;
use crate::pattern::Patterns;
use crate::record::{Read, Visit};

/// A recogniser for each machine. Together they keep no more than one alone would.
#[derive(Debug)]
pub(crate) struct Recognisers<'p> {
    patterns: &'p Patterns,
    all: Vec<Recogniser<'p>>,
}

/// What the recognisers of all machines have come to.
#[derive(Debug)]
pub(crate) struct AllProgress(Vec<Progress>);

impl AllProgress {
    /// Goes on by `patterns`.
    pub(crate) fn by(self, patterns: &Patterns) -> Recognisers<'_> {
        let all = self.0.into_iter().map(|one| one.by(patterns)).collect();
        Recognisers { patterns, all }
    }
}

impl<'p> Recognisers<'p> {
    /// One, until another machine speaks.
    pub(crate) fn new(patterns: &'p Patterns) -> Self {
        Self { patterns, all: vec![Recogniser::new(patterns)] }
    }

    /// Those of all machines, by their numbers.
    pub(crate) fn all(&self) -> &[Recogniser<'p>] {
        &self.all
    }

    /// The same, to be changed.
    pub(crate) fn all_mut(&mut self) -> &mut [Recogniser<'p>] {
        &mut self.all
    }

    /// What they have come to, without the patterns.
    pub(crate) fn progress(self) -> AllProgress {
        AllProgress(self.all.into_iter().map(Recogniser::progress).collect())
    }

    /// What was found of each machine.
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
        if let Some(record) = read.record() {
            self.of(record.machine).record(record);
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

    fn landmark(&self, text: &str) -> bool {
        self.all[0].landmark(text)
    }

    fn is_unfinished(&self, text: &str) -> bool {
        self.all[0].is_unfinished(text)
    }

    fn message(&self, text: &str) -> bool {
        self.all[0].message(text)
    }

    /// Whose the lines are nobody looked at. That there are some shows of each machine's that the input did
    /// not go through a filter.
    fn skimmed(&mut self, of_kernel: u64, of_another: Option<u64>) {
        for recogniser in &mut self.all {
            recogniser.skimmed(of_kernel, of_another);
        }
    }
}
