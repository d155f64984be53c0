"""Measure what the end of a run costs after its answer, when memory ingests it, beside reading its log once.

Peers keep the messages of as many steps: pydantic-ai as JSON in SQLite, langgraph in the checkpoint of the last step,
inspect_ai in an evaluation's log, each in one piece; mem0 takes each message into its memory, with a mock embedder and
no model. None of them learns from a run or makes it searchable, except mem0. Ours has written its log before. That of
mem0 takes so long that it does so once, and not for the longest run.
"""

import json
import statistics
import sys
from collections.abc import Sequence
from subprocess import Popen
from tempfile import TemporaryDirectory

from .contest import Contestant, enlisted, load, met, model, round_robin, started, table
from .homes import home_of_openkoi
from .peers import peers_in

SIZES = (50, 500, 2_000)
GOAL = 50.0  # ms, at the longest
PEERS = ("pydantic-ai-slim", "langgraph-checkpoint-sqlite", "inspect-ai", "mem0ai")
SLOW, SLOW_MOST = "mem0ai", 500


def show(rounds: int) -> None:
    """Print a row for each number of steps."""
    with TemporaryDirectory() as folder, model() as url, enlisted(peers_in("endings", *PEERS), folder) as peers:
        command = [home_of_openkoi(), "-m", "benchmarks.contestants.run_end", url]
        with started(command, sys.stderr) as child:
            round_robin(peers, 1, steps=1)
            rows = [row(steps, rounds, child, peers) for steps in SIZES]
        names = [f"{one.entry.name} {one.version}" for one in peers]
    head = [f"steps of a run ({load()})", "from the answer until in memory", "reading its log once", "goal", "", *names]
    print(table(head, rows))


def row(steps: int, rounds: int, child: Popen[str], peers: list[Contestant]) -> list[str]:
    """Return what the end of a run of so many steps costs, ours and peers in turn."""
    found: list[Sequence[float]] = []
    costs: dict[str, list[float]] = {}
    for turn in range(rounds):
        print(steps, file=child.stdin, flush=True)
        found.append(json.loads(child.stdout.readline() if child.stdout else ""))
        others = [one for one in peers if one.entry.name != SLOW or (not turn and steps <= SLOW_MOST)]
        for name, all_of_it in round_robin(others, 1, steps=steps).items():
            costs.setdefault(name, []).extend(all_of_it[0].figures)
    ours, floor = (statistics.median(each) * 1000 for each in zip(*found, strict=True))
    figures = [costs.get(one.entry.name) for one in peers]
    others_too = [f"{statistics.median(each):.1f} ms" if each else "" for each in figures]
    return [f"{steps:,}", f"{ours:.1f} ms", f"{floor:.1f} ms", f"{GOAL:g} ms", met(ours, GOAL), *others_too]
