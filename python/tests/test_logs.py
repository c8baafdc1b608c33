"""The invented logs of the tests are always the same."""

from __future__ import annotations

from logs import samples


def test_a_log_depends_on_its_number_and_the_seed() -> None:
    first = list(samples(40, seed=2))
    assert first == list(samples(80, seed=2))[:40]
    assert first != list(samples(40, seed=3))


def test_all_kinds_are_among_them() -> None:
    made = list(samples(620, seed=7))
    assert len({sample.name for sample in made}) == 620
    assert {sample.status for sample in made} == {"whole", "partial", "empty", "no-kernel-log"}
    assert {sample.name.rpartition(".")[2] for sample in made} == {"log", "gz", "xz", "tar"}
    assert len({sample.diagnosis for sample in made}) == 9
