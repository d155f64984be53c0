"""Measure how long until a record is on disk, beside a plain line, databases, and the logs of other agents and clients.

Each writes some records in its turn, of the same text, to the same disk, so that what else the disk is busy with hits
all. All are synced when their call returns. Ours also numbers the record, masks secrets and makes its JSON; the others
are given what is ready. That of ``llm`` is several rows in one transaction.
"""

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from .contest import Contestant, Entry, enlisted, load, met, round_robin, table
from .peers import peers_in

RECORDS, TURNS = 20, 20
FLOOR, SQLITE, OURS = "a line, written and synced", "SQLite, WAL, FULL", "the run log"
OWN = (
    Entry(FLOOR, "records", way="plain"),
    Entry(OURS, "records", way="openkoi"),
    Entry(SQLITE, "records", way="sqlite"),
    Entry("logging.FileHandler, synced", "records", way="logging"),
)
PEERS = ("lmdb", "diskcache", "langgraph-checkpoint-sqlite", "llm")
MOST_TIMES = 1.5  # of SQLite's p50; p99 is not above its


def show(rounds: int) -> None:
    """Print a table, and whether our figures meet the goal."""
    entries = [*OWN, *peers_in("records", *PEERS)]
    with TemporaryDirectory(dir=Path.cwd()) as folder, enlisted(entries, folder) as contestants:
        round_robin(contestants, 1, records=RECORDS)
        costs = round_robin(contestants, TURNS * rounds, records=RECORDS)
        found = {name: median_and_p99([one for cost in all for one in cost.figures]) for name, all in costs.items()}
        print(table([f"{RECORDS * TURNS * rounds} records ({load()})", "p50", "p99"], rows(contestants, found)))
    (middle, slowest), (least, most) = found[OURS], found[SQLITE]
    print(
        f"p50: {middle / least:.2f} times that of SQLite (goal {MOST_TIMES}, {met(middle, MOST_TIMES * least)}); "
        f"p99: {slowest / most:.2f} times (goal 1, {met(slowest, most)})."
    )


def rows(contestants: list[Contestant], found: dict[str, tuple[float, float]]) -> list[list[str]]:
    """Return a line of each."""
    return [
        [f"{one.entry.name} {one.version}".strip(), *(f"{figure:.2f} ms" for figure in found[one.entry.name])]
        for one in contestants
    ]


def median_and_p99(times: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    return statistics.median(times), statistics.quantiles(times, n=100)[98]
