//! Entries of several lines and lines between records: journal entries, lines of a container's log,
//! boot markers.

use std::borrow::Cow;

use super::super::order::Item;
use super::super::passed::SkipReason;
use super::super::scan::Scan;
use super::super::wrapper::{Part, Stream};
use super::super::{Visit, stamp};
use super::{BootKey, Partial, Reader};
use crate::input::LINE_LIMIT;

impl Reader {
    /// A line of a container's log, or a part that the next line of its stream continues.
    pub(super) fn container(&mut self, number: u64, part: Part<'_>, visit: &mut impl Visit) {
        let Part { stream, text, whole } = part;
        let partial = match stream {
            Stream::Out => &mut self.partial.out,
            Stream::Error => &mut self.partial.error,
        };
        // A line of the other stream may be in between.
        let number = number.max(self.floor);
        let (number, text) = match partial.take() {
            Some((first, mut before)) => {
                let room = LINE_LIMIT.saturating_sub(before.len());
                let kept = text.get(..room.min(text.len())).unwrap_or_default();
                before.push_str(kept);
                self.machines.speaker().account.reading.dropped.bytes +=
                    (text.len() - kept.len()) as u64;
                (first.max(self.floor), Cow::Owned(before))
            }
            None => (number, Cow::Borrowed(text)),
        };
        if whole {
            self.floor = number;
            self.surrounded(number, &text, visit);
        } else {
            *partial = Some((number, text.into_owned()));
        }
    }

    /// What follows does not continue a container's line.
    pub(super) fn end_partial(&mut self, visit: &mut impl Visit) {
        let Partial { out, error } = std::mem::take(&mut self.partial);
        let mut ended = [out, error];
        ended.sort_by_key(|partial| partial.as_ref().map(|(number, _)| *number));
        for (number, text) in ended.into_iter().flatten() {
            self.surrounded(number.max(self.floor), &text, visit);
        }
    }

    /// Ends an entry with named fields.
    pub(super) fn entry(&mut self, visit: &mut impl Visit) {
        self.gap = None;
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        let block = std::mem::take(&mut self.block);
        let (line, form, entry) = block.complete();
        if !entry.boot_id().is_empty() {
            self.boot = self.boot_key(entry.boot_id());
        }
        if let Some(mut draft) = entry.draft(form) {
            self.form = form;
            draft.message = draft.message.trim_end_matches('\n');
            self.drop_end(draft.message);
            self.machines.turn_to(&draft, visit);
            draft = draft.at(line, self.boot);
            draft.cut |= entry.is_left_out();
            self.send(Item::Draft(draft), visit);
        } else {
            self.pass_over(line, "", SkipReason::Structure, visit);
        }
        self.block = block;
    }

    /// The number for a boot id.
    fn boot_key(&mut self, id: &str) -> BootKey {
        let current = (self.boot.number as usize).checked_sub(1);
        if current.is_some_and(|index| self.boot_ids[index] == id) {
            return self.boot;
        }
        if let Some(key) = self.boot_keys.get(id) {
            return *key;
        }
        let key = self.new_boot_key(id, false);
        self.boot_keys.insert(id.to_owned(), key);
        key
    }

    fn new_boot_key(&mut self, id: &str, marker: bool) -> BootKey {
        self.boot_ids.push(id.to_owned());
        let number = u32::try_from(self.boot_ids.len())
            .unwrap_or_else(|_| unreachable!("reading ends where boots are too many"));
        BootKey { number, marker }
    }

    /// What journalctl prints between records: `-- Boot 0123… --`, `-- No entries --`.
    pub(super) fn marker(&mut self, text: &str, visit: &mut impl Visit) -> bool {
        let Some(inner) =
            text.strip_prefix("-- ").and_then(|rest| rest.trim_end().strip_suffix("--"))
        else {
            return text.starts_with("-- cursor: ");
        };
        let inner = inner.trim_end();
        let boot = inner.strip_prefix("Boot ").map(Some).or((inner == "Reboot").then_some(None));
        // `Journal begins at …, ends at Thu 2026-11-19 10:33:15 CET.`
        if !self.begun
            && let Some((_, end)) = inner.rsplit_once(" at ")
            && let Some(wall) = stamp::full(&mut Scan::new(end.trim_end_matches('.')))
        {
            for machine in self.machines.all_mut() {
                machine.account.flow.reference = Some(wall.local);
            }
        }
        if let Some(boot_id) = boot {
            self.end_paragraph(None, visit);
            self.flush_held(visit);
            // A boot without an id differs from all others.
            self.boot = self.new_boot_key(boot_id.unwrap_or(""), true);
        }
        true
    }
}
