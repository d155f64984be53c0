"""Implement a contestant's side: wait for a turn, do it, report its cost. Standard library only: peers import it.

A turn is a line of JSON in and one out. Starting, importing and opening a client come before, and are not counted.
"""

import gc
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

SYNCS = [0]
Turn = Callable[[dict[str, int]], Sequence[float] | None]  # what it returns goes to the contest


def take_part(ways: Mapping[str, Callable[[], Turn]]) -> None:
    """Do turns in the variant that the contest named: a distribution, optionally with a colon and a variant."""
    name = sys.argv[2]
    take_turns(name.partition(":")[0], ways[name]())


def take_turns(distribution: str, turn: Turn) -> None:
    """Introduce this contestant; then do a turn for each ``again``, until the input ends."""
    count_syncs()
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    output.write(json.dumps({"version": version_of(distribution), "shipped": is_shipped()}) + "\n")
    for line in sys.stdin:
        data = json.loads(line)
        again = range(data.pop("again", 1))
        gc.collect()
        syncs = SYNCS[0]
        found: Sequence[float] | None = None
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in again:
            found = turn(data)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        cost = {"cpu": cpu, "wall": wall, "peak": peak(), "syncs": SYNCS[0] - syncs, "figures": list(found or ())}
        output.write(json.dumps(cost) + "\n")


def is_shipped() -> bool:
    """Return whether OpenKoi is imported from this Python's own virtualenv: from wheels, not from sources."""
    found = find_spec("openkoi")
    return bool(found and found.origin and found.origin.startswith(sys.prefix))


def count_syncs() -> None:
    """Count how often a file is synced."""
    for name in ("fsync", "fdatasync"):
        if sync := getattr(os, name, None):
            setattr(os, name, partial(counted_sync, sync))


def counted_sync(sync: Callable[[int], None], file: int) -> None:
    SYNCS[0] += 1
    sync(file)


def version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def peak() -> float:
    """Return the peak memory of this process in MiB; 0 if the system does not report it."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return 0.0
    return getrusage(RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def task(steps: int, said: int = 0) -> str:
    """Return a prompt that makes the model call the tool a number of times, with a number of words each."""
    return f"Go. run={secrets.token_hex(8)} steps={steps}" + (f" said={said}" if said else "")


def spoken(turn: int, count: int) -> str:
    """Return a number of English words about a program, different ones for each turn, from Python's own help."""
    return " ".join(help_words()[turn * count : (turn + 1) * count])


@cache
def help_words() -> list[str]:
    from pydoc_data.topics import topics

    return " ".join(topics.values()).split()


def words(chunks: int, pause: int) -> str:
    """Return a prompt that makes the model say a number of words, some microseconds apart."""
    return f"Speak. chunks={chunks} pause={pause}"


def address() -> str:
    """Return the model's address, or the folder of a contest without a model."""
    return sys.argv[1]


def key() -> dict[str, str]:
    """Return the header that shows the key, as the vendor's library sends it."""
    return {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}


def add(n: int) -> str:
    """Add one.

    Args:
        n: The number.
    """
    return str(n + 1)


def done(text: object) -> None:
    """Make sure that the run came to its end."""
    if text != "done":
        raise AssertionError(f"the run ended with {text!r}")
