"""Measure a memory of 50,000 texts: the cost of a question, and of adding a task's texts and searching at once.

A process has asked once before: the first question also opens the index, and is part of `startup`'s `memory search`.
Times of processes are processor time, which includes the threads of tantivy.
"""

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from .contest import Contestant, Entry, enlisted, load, met, round_robin, table
from .peers import peers_in

QUESTIONS = 20
OURS = "openkoi"
FLOOR = Entry("a scan of a file", "memories", way="scan")
OWN = (Entry(OURS, "memories", way="openkoi"), FLOOR, Entry("SQLite's FTS5", "memories", way="sqlite"))
PEERS = ("tantivy",)
KINDS = ("three words", "twelve words", "words that all texts have")
SEARCH_GOAL, ADD_GOAL = 20.0, 10.0  # ms


def show(rounds: int) -> None:
    """Print a row for each kind of question, searched alone and after a task was added."""
    entries = [*OWN, *peers_in("memories", *PEERS)]
    with TemporaryDirectory(dir=Path.cwd()) as folder, enlisted(entries, folder) as contestants:
        rows = [row(kind, add, rounds, contestants) for add in (0, 1) for kind in range(len(KINDS))]
        names = [f"{one.entry.name} {one.version}".strip() for one in contestants[1:]]
    print(table([f"ms, median and worst ({load()})", OURS, "goal", "", *names], rows))


def row(kind: int, add: int, rounds: int, contestants: list[Contestant]) -> list[str]:
    """Return what questions of a kind cost each."""
    costs = round_robin(contestants, rounds, kind=kind, add=add, questions=QUESTIONS)
    found = {name: [took for cost in turns for took in cost.figures] for name, turns in costs.items()}
    ours, *others = (f"{statistics.median(some):.1f} ({max(some):.1f})" for some in found.values())
    goal = ADD_GOAL if add else SEARCH_GOAL
    done = "added, then searched" if add else "searched"
    return [f"{done}: {KINDS[kind]}", ours, f"{goal:g}", met(statistics.median(found[OURS]), goal), *others]
