#!/usr/bin/env python3
"""Write many invented kernel logs, the same ones for the same seed.

Hosts, kernels, GPUs, forms and failures vary. Some logs are healthy, some compressed, cut, empty,
archives, or no logs at all. How long the compressed ones are depends on the version of zlib.
``python3 tools/logs.py DIR`` writes 2,000 of them.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import random
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from stories import FAILURES, GPUS, HEALTHY, NOISE, Story, boot_of

KERNELS = ("6.1.0-28-amd64", "6.8.0-45-generic", "6.12.9-arch1-1", "6.14.2", "6.17.4-200.fc43")
HOSTS = 120
FORMS = ("dmesg", "syslog-iso", "journal-short", "kmsg", "dmesg-json")
START = datetime(2026, 3, 4, 18, 20, 10, tzinfo=timezone(timedelta(hours=1)))


@dataclass(frozen=True)
class Sample:
    """A log with what has to be found in it."""

    name: str
    content: bytes
    status: str
    diagnosis: str | None
    """Of the first incident; ``None`` for no incident."""


def samples(number: int = 2000, seed: int = 1) -> Iterator[Sample]:
    """Yield logs, each of which depends on its number and the seed alone."""
    for at in range(number):
        yield _sample(at, random.Random(f"{seed}/{at}"))


def _sample(at: int, dice: random.Random) -> Sample:
    host = f"node{dice.randrange(HOSTS):03}"
    story = dice.choice(FAILURES) if dice.random() < 0.55 else HEALTHY
    text = _log(host, story, dice)
    name = f"{at:05}-{host}.log"
    kind = dice.choices(
        ("plain", "gzip", "xz", "tar", "cut", "empty", "text", "binary"),
        (74, 12, 3, 2, 3, 2, 2, 2),
    )[0]
    if kind == "cut":
        # One byte of the checksum is missing: all lines are there, but the file does not end.
        return Sample(name + ".gz", _gzip(text)[:-1], "partial", story.diagnosis)
    if kind in ("empty", "text", "binary"):
        other = {"empty": b"", "text": b"Meeting notes\n- milk\n", "binary": dice.randbytes(900)}
        return Sample(name, other[kind], "empty" if kind == "empty" else "no-kernel-log", None)
    ending, content = {
        "plain": ("", text),
        "gzip": (".gz", _gzip(text)),
        "xz": (".xz", lzma.compress(text, preset=0)),
        "tar": (".tar", _tar(text)),
    }[kind]
    return Sample(name + ending, content, "whole", story.diagnosis)


def _log(host: str, story: Story, dice: random.Random) -> bytes:
    form, kernel, gpu = dice.choice(FORMS), dice.choice(KERNELS), dice.choice(story.gpus)
    words = {
        "pci": f"0000:{dice.choice(('03', '0c', '2d', 'c3'))}:00.0",
        "process": dice.choice(("python3", "game.exe", "render", "Xwayland")),
        "pid": dice.randrange(1000, 9000),
        "thread": dice.randrange(9000, 9999),
        "seq": dice.randrange(1000, 90_000),
        "page": f"{dice.randrange(4096):03x}",
    }
    words["next"] = int(words["seq"]) + 2
    lines = [(0, f"Linux version {kernel} (builder@forge) (gcc 14.2.1) #1 SMP PREEMPT_DYNAMIC")]
    lines += boot_of(GPUS[gpu])
    lines += [*_noise(dice, 60), *story.lines, *_noise(dice, 20)]
    boot = START + timedelta(hours=dice.randrange(24 * 60))
    stamped, clock = [], 0
    for wait, text in lines:
        clock += wait
        stamped.append((clock, text.format(**words)))
    return _formed(form, host, boot, stamped)


def _noise(dice: random.Random, most: int) -> list[tuple[int, str]]:
    chosen = dice.choices(NOISE, k=dice.randrange(2, most))
    return [(dice.randrange(10**6, 10**8), text) for text in chosen]


def _formed(form: str, host: str, boot: datetime, lines: list[tuple[int, str]]) -> bytes:
    if form == "dmesg-json":
        entries = [{"pri": 6, "time": f"{us / 10**6:.6f}", "msg": text} for us, text in lines]
        return json.dumps({"dmesg": entries}, indent=3).encode() + b"\n"
    return "".join(_line(form, host, boot, at, *line) for at, line in enumerate(lines)).encode()


def _line(form: str, host: str, boot: datetime, number: int, us: int, text: str) -> str:
    clock = boot + timedelta(microseconds=us)
    stamp = f"[{us // 10**6:5}.{us % 10**6:06}]"
    return {
        "dmesg": f"{stamp} {text}\n",
        "syslog-iso": f"{clock.isoformat(timespec='microseconds')} {host} kernel: {stamp} {text}\n",
        "journal-short": f"{clock:%b %d %H:%M:%S} {host} kernel: {text}\n",
        "kmsg": f"6,{number},{us},-;{text}\n",
    }[form]


def _gzip(text: bytes) -> bytes:
    return gzip.compress(text, 6, mtime=0)


def _tar(text: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in (("dmesg.txt", text), ("notes.txt", b"nothing to see here\n")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def main() -> None:
    """Write the logs to a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("-n", "--number", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    for sample in samples(arguments.number, arguments.seed):
        (arguments.directory / sample.name).write_bytes(sample.content)


if __name__ == "__main__":
    main()
