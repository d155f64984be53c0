"""Many runs at once in one process: steps a second, steps a second of processor time, and what another run takes.

The memory is what the process grew by above one run, so each round is a new process. The bare loop does the same.
"""

from collections.abc import Sequence

from .contest import Contestant, Cost, Entry, enlisted, in_turn, load, model, shipped, spread, table

RUNS = 64
STEPS = 10
GOALS = "Goals: 1000 steps a second and core, where the bare loop does 1700; 0.3 MiB a run."
ENTRIES = (Entry("bare httpx2 loop", "bare"), Entry("openkoi", "ours"))


def show(rounds: int) -> None:
    """Print a table, and what it should be."""
    found: dict[str, list[tuple[Cost, Cost]]] = {}
    entries = shipped(ENTRIES)
    for _ in range(rounds):
        with model() as url, enlisted(entries, url) as contestants:
            for one in contestants:
                found.setdefault(one.entry.name, []).append(measured(one))
    head = [f"{RUNS} runs at once, {STEPS} steps each ({load()})", "steps/s", "steps/s of CPU", "MiB a run"]
    print(table(head, [row(name, pairs) for name, pairs in found.items()]))
    print(GOALS)


def measured(one: Contestant) -> tuple[Cost, Cost]:
    """Return one run after a first one, and then many at once."""
    in_turn([one], 1, steps=STEPS, runs=1)
    return one.turn(steps=STEPS, runs=1), one.turn(steps=STEPS, runs=RUNS)


def row(name: str, pairs: Sequence[tuple[Cost, Cost]]) -> list[str]:
    done = RUNS * (STEPS + 1)
    wall = spread([done / many.wall for _, many in pairs])
    cpu = spread([done / many.cpu for _, many in pairs])
    grown = spread([(many.peak - single.peak) / (RUNS - 1) for single, many in pairs])
    return [name, wall.told(0), cpu.told(0), grown.told()]
