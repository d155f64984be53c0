"""Measure many runs at once in one process: steps per second and per CPU second, syncs, and memory of another run.

The memory is what the process grew by above one run, so each round is a new process. The bare loop does the same, once
as it is and once with a line a step that it appends to a file and syncs. Peers keep nothing on the disk.
"""

import statistics
from collections.abc import Mapping, Sequence

from .contest import Contestant, Cost, Entry, Left, enlisted, in_turn, load, met, model, spread, table
from .peers import peers

SIZES = (64, 256)
STEPS = 10
SHARE, GROWTH, ONE_RUN = 0.5, 0.3, 60.0
LOGGED, OURS = "bare httpx2 loop that syncs a line per step", "openkoi"
OWN = (Entry("bare httpx2 loop", "bare"), Entry(LOGGED, "bare_logged"), Entry(OURS, "ours"))
PEERS = ("pydantic-ai", "langgraph")
Measured = Sequence[tuple[Cost, Cost]]


def show(rounds: int) -> None:
    """Print a table for each number of runs, with the goals."""
    entries = [*OWN, *peers(*PEERS)]
    for runs in SIZES:
        found: dict[str, list[tuple[Cost, Cost]]] = {}
        for _ in range(rounds):
            with model() as url, enlisted(entries, url) as contestants:
                for one in contestants:
                    try:
                        found.setdefault(one.entry.name, []).append(measured(one, runs))
                    except Left as left:
                        print(left)
        head = [
            f"{runs} runs at once, {STEPS} steps each ({load()})",
            "steps/s",
            "steps per CPU second",
            "syncs per step",
        ]
        print(
            table([*head, "MiB per additional run"], [row(name, pairs, runs) for name, pairs in found.items() if pairs])
        )
        print(judged(found, runs))


def measured(one: Contestant, runs: int) -> tuple[Cost, Cost]:
    """Return one run after a first one, and then many at once."""
    in_turn([one], 1, steps=STEPS, runs=1)
    return one.turn(steps=STEPS, runs=1), one.turn(steps=STEPS, runs=runs)


def row(name: str, pairs: Measured, runs: int) -> list[str]:
    done = runs * (STEPS + 1)
    wall = spread([done / many.wall for _, many in pairs])
    cpu = spread([done / many.cpu for _, many in pairs])
    syncs = spread([many.syncs / done for _, many in pairs])
    grown = spread([(many.peak - single.peak) / (runs - 1) for single, many in pairs])
    return [name, wall.formatted(0), cpu.formatted(0), syncs.formatted(), grown.formatted()]


def judged(found: Mapping[str, Measured], runs: int) -> str:
    """Return ours beside the goals."""
    share = statistics.median(
        floor.cpu / ours.cpu for (_, floor), (_, ours) in zip(found[LOGGED], found[OURS], strict=True)
    )
    grown = statistics.median((many.peak - single.peak) / (runs - 1) for single, many in found[OURS])
    single = statistics.median(single.peak for single, _ in found[OURS])
    return (
        f"OpenKoi does {share:.2f} of the steps per CPU second of the loop that syncs (goal {SHARE}, "
        f"{met(-share, -SHARE)}). A run peaks at {single:.0f} MiB (goal {ONE_RUN:.0f}, {met(single, ONE_RUN)}), and "
        f"each additional run adds {grown:.2f} MiB (goal {GROWTH}, {met(grown, GROWTH)})."
    )
