//! Resets that are none of a failure, and what becomes of several GPUs.

use super::{A, B, Outcome, TIMEOUT, on_a, read};

const HALF: &str = "GPU reset succeeded, trying to resume";
const PENDING: &str = "Pending hive reset.";

#[test]
fn a_reset_that_sets_gpus_up_is_no_incident() {
    let start = [
        (5.0, A, PENDING),
        (6.0, B, PENDING),
        (9.0, A, HALF),
        (9.1, "[drm] ", "VRAM is lost due to GPU reset!"),
        (14.0, B, HALF),
        (14.1, "[drm] ", "VRAM is lost due to GPU reset!"),
    ];
    assert_eq!(read(&start), []);
    let used = [&start[..], &[(500.0, A, TIMEOUT), (900.0, "usb 1-2: ", "new device")]].concat();
    assert_eq!(read(&used), [on_a(1, Outcome::Hung)]);
    // The only word of a failure on this way.
    let failed = [
        &start[..3],
        &[(
            9.2,
            "[drm:amdgpu_drv_delayed_reset_work_handler [amdgpu]] *ERROR* ",
            "reinit gpus failure",
        )],
    ]
    .concat();
    assert_eq!(read(&failed), [on_a(2, Outcome::Failed)]);
}

#[test]
fn the_end_of_a_reset_is_missed_only_where_its_begin_is_seen() {
    let later = (200.0, "usb 1-2: ", "new device");
    assert_eq!(read(&[(10.0, A, HALF), later]), [on_a(1, Outcome::Unknown)]);
    let begun = [(9.0, A, "GPU reset begin!"), (10.0, A, HALF), later];
    assert_eq!(read(&begun), [on_a(2, Outcome::NeverCompleted)]);
}
