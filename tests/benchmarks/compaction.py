"""Measure how fast a long conversation is compacted, beside writing it as JSON once, as each request does.

What a model takes for a summary is not counted: it is scripted. The same conversation is made shorter by peers, beside
its JSON there: langchain-core's ``trim_messages`` keeps the newest half and asks no model, langmem's
``summarize_messages`` counts tokens and asks one.
"""

import statistics
from collections.abc import Sequence

from .contest import Contestant, Cost, Entry, enlisted, load, met, round_robin, table
from .contestants.shorter import size_of
from .peers import peers_in

TURNS = 400
GOAL = 1.0  # of the JSON: a compaction costs no more than a request
COMPACTORS = ("rolling-window", "periodic-summary", "fact-extracting")
OWN = tuple(Entry(name, "shorter", way=name) for name in COMPACTORS)
PEERS = ("langchain-core", "langmem")


def show(rounds: int) -> None:
    """Print a table."""
    with enlisted([*OWN, *peers_in("shorter", *PEERS)], "") as contestants:
        round_robin(contestants, 1, turns=TURNS)
        costs = round_robin(contestants, rounds, turns=TURNS)
        rows = [row(one, costs[one.entry.name]) for one in contestants]
    size = f"{size_of(TURNS) / 1e6:.1f} MB in {TURNS} turns ({load()})"
    print(table([size, "speed per CPU second", "encoding as JSON", "goal", "", "text left"], rows))


def row(one: Contestant, costs: Sequence[Cost]) -> list[str]:
    """Return a line of the table."""
    figures = [cost.figures for cost in costs]
    ratio = statistics.median(took / floor for took, floor, _ in figures)
    goal = (f"{GOAL:g}", met(ratio, GOAL)) if one.entry in OWN else ("", "")
    speed = size_of(TURNS) / 1e6 / statistics.median(took for took, *_ in figures)
    name = f"{one.entry.name} {one.version}".strip()
    return [name, f"{speed:,.0f} MB/s", f"{ratio:.2f} x", *goal, f"{figures[0][2]:.0%}"]
