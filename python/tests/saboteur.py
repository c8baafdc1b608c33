"""A program that ends badly if a key that it gets says so: ``killed!``, ``hangs!``, and so on.

Each call is a line in the file that SABOTEUR_CALLS names.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def told(data: bytes, word: str) -> bool:
    return f"{word}!".encode() in data or any(f"{word}!" in argument for argument in sys.argv)


def main() -> None:
    with Path(os.environ["SABOTEUR_CALLS"]).open("a") as calls:
        calls.write("call\n")
    data = os.read(0, 1000)
    if told(data, "deaf"):
        time.sleep(600)
    if told(data, "leaves"):
        sys.exit(5)
    if told(data, "orphan"):
        subprocess.Popen(["sleep", "20"])
        sys.exit(5)
    data += sys.stdin.buffer.read()
    if told(data, "killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    if told(data, "faults"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if told(data, "hangs"):
        # What it started has to end with it.
        child = subprocess.Popen(["sleep", "600"])
        Path(os.environ["SABOTEUR_CALLS"]).with_name("child").write_text(str(child.pid))
        time.sleep(600)
    if told(data, "shouts"):
        sys.stderr.write("x" * 5_000_000)
    ran = subprocess.run(
        [os.environ["SABOTEUR_PROGRAM"], *sys.argv[1:]],
        input=data,
        stdout=subprocess.PIPE,
        check=False,
    )
    output = ran.stdout
    if told(data, "cut"):
        output = output[:-10]
    if told(data, "garbled"):
        output = b"\0garbage\n" + output
    if told(data, "strange"):
        output = output.replace(b'"key":"', b'"key":"9')
    if told(data, "silent"):
        output = b""
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    sys.exit(4 if told(data, "status") else ran.returncode)


if __name__ == "__main__":
    main()
