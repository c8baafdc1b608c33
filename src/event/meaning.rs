//! The meaning of an event in one sentence, computed only when it is shown, because most events of
//! a log are not.

use super::Observed;
use crate::kind::{BlockedTask, Event};
use crate::value::Named;

impl Observed {
    /// Its meaning, in one sentence.
    #[must_use]
    pub(crate) fn means(&self) -> String {
        let mut means = match (self.message.means(), &self.event) {
            (Some(means), event) => means.filled(|path| event.field_in_words(path)),
            (None, Event::BlockedTask(task)) => blocked(task),
            (None, _) => String::new(),
        };
        if let Some(said) = self.event.field_in_words("disagrees") {
            means.push_str("; its lines and its status word disagree: ");
            means.push_str(&said);
        }
        means
    }
}

fn blocked(task: &BlockedTask) -> String {
    let who = match (&task.queue, &task.task) {
        (Some(queue), _) => format!("A kernel worker of {}", Named(queue)),
        (None, Some(task)) => Named(task).to_string(),
        (None, None) => "A task".to_owned(),
    };
    let place = task.wait_channel.as_ref().map(|place| format!(" (in {})", Named(place)));
    let place = place.unwrap_or_default();
    format!("{who} is in uninterruptible sleep{place}")
}
