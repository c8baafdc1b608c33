//! Snapshots in `tests/snapshots`, each with the command that made it.

use super::root;

/// Compares `text` with the snapshot `name`. `made_by` is written to its header: the command line,
/// or the call of the library.
///
/// `INSTA_UPDATE=always cargo test` updates those that differ, `INSTA_UPDATE=force` the headers of
/// all.
#[track_caller]
pub(crate) fn snapshot(name: &str, made_by: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r#""patterns":( ?)"[0-9a-f]{64}""#, r#""patterns":$1"[digest]""#);
    settings.set_omit_expression(true);
    settings.set_description(made_by);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
