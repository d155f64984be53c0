"""What the end of a run costs once its answer is out, when memory takes it in, beside reading its log once."""

import json
import statistics
import sys

from .contest import load, met, model, started, table
from .homes import home_of_openkoi

SIZES = (50, 500, 2_000)
GOAL = 50.0  # ms, at the longest


def show(rounds: int) -> None:
    """Print a row for each number of steps."""
    rows = []
    with model() as url:
        command = [home_of_openkoi(), "-m", "benchmarks.contestants.run_end", url]
        with started(command, sys.stderr) as child:
            for steps in SIZES:
                found: list[tuple[float, float]] = []
                for _ in range(rounds):
                    print(steps, file=child.stdin, flush=True)
                    found.append(json.loads(child.stdout.readline() if child.stdout else ""))
                ours, floor = (statistics.median(costs) * 1000 for costs in zip(*found, strict=True))
                rows.append([f"{steps:,}", f"{ours:.1f} ms", f"{floor:.1f} ms", f"{GOAL:g} ms", met(ours, GOAL)])
    print(table([f"steps of a run ({load()})", "from answer to end", "its log is read", "goal", ""], rows))
