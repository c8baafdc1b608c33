"""What the tests share. The program is the one that the environment variable AMDTRIAGE names."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from logs import Sample, samples

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program() -> str:
    named = os.environ.get("AMDTRIAGE")
    if not named:
        pytest.fail("set AMDTRIAGE to the path of the program")
    # Workers may have another working directory.
    return str(Path(named).resolve())


@pytest.fixture(scope="session")
def some() -> list[Sample]:
    """Logs of all kinds, more than one batch holds."""
    return list(samples(620, seed=7))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, some: list[Sample]) -> Path:
    made = tmp_path_factory.mktemp("logs")
    for sample in some:
        (made / sample.name).write_bytes(sample.content)
    return made


@pytest.fixture
def saboteur(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a program that does what the key of a log asks for, and else the work of the other."""
    script = tmp_path / "saboteur"
    source = (HERE / "saboteur.py").read_text()
    script.write_text(f"#!{sys.executable}\n{source}")
    script.chmod(0o755)
    monkeypatch.setenv("SABOTEUR_PROGRAM", program)
    monkeypatch.setenv("SABOTEUR_CALLS", str(tmp_path / "calls"))
    return str(script)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    # The workers are processes of their own.
    os.environ["PYTHONPATH"] = str(HERE.parent / "src")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
