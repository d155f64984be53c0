"""Measure the cost of ingesting a run after its answer, beside reading its log once.

The model says nothing beside its tool calls, or 25 words at each step. Peers keep the messages of as many steps with
the same texts: pydantic-ai as JSON in SQLite, langgraph in the checkpoint of the last step, inspect_ai in an
evaluation's log, each in one piece; mem0 takes each message into its memory, with a mock embedder and no model. None of
them learns from a run or makes it searchable, except mem0. Ours has written its log before. That of mem0 takes so long
that it does so once, and not for the longest run.
"""

import statistics
from tempfile import TemporaryDirectory

from .contest import Contestant, Entry, enlisted, load, met, model, round_robin, table
from .peers import peers_in

SIZES = ((50, 0), (500, 0), (2_000, 0), (50, 25), (2_000, 25))  # steps, and the words that the model says at each
GOAL = 50.0  # ms, at the longest
OURS = "openkoi"
OWN = (Entry(OURS, "run_end"),)
PEERS = ("pydantic-ai-slim", "langgraph-checkpoint-sqlite", "inspect-ai", "mem0ai")
SLOW, SLOW_MOST = "mem0ai", 500


def show(rounds: int) -> None:
    """Print a row for each number of steps, and of words at each."""
    peers = peers_in("endings", *PEERS)
    with TemporaryDirectory() as folder, model() as url, enlisted(OWN, url) as ours, enlisted(peers, folder) as others:
        contestants = [*ours, *others]
        round_robin(contestants, 1, steps=1, said=0)
        rows = [row(*size, rounds, contestants) for size in SIZES]
        names = [f"{one.entry.name} {one.version}" for one in others]
    print(
        table(
            [
                f"steps of a run ({load()})",
                "from the answer until in memory",
                "reading its log once",
                "goal",
                "",
                *names,
            ],
            rows,
        )
    )


def row(steps: int, said: int, rounds: int, contestants: list[Contestant]) -> list[str]:
    """Return what the end of a run of so many steps, with so many words each, costs, ours and peers in turn."""
    costs: dict[str, list[float]] = {}
    floors: list[float] = []
    for turn in range(rounds):
        taking_part = [one for one in contestants if one.entry.name != SLOW or (not turn and steps <= SLOW_MOST)]
        for name, turns in round_robin(taking_part, 1, steps=steps, said=said).items():
            took, *log = turns[0].figures
            costs.setdefault(name, []).append(took)
            floors += log
    ours, floor = statistics.median(costs[OURS]), statistics.median(floors)
    figures = [costs.get(one.entry.name) for one in contestants if one.entry.name != OURS]
    others = [f"{statistics.median(each):.1f} ms" if each else "" for each in figures]
    name = f"{steps:,} with {said} words each" if said else f"{steps:,}"
    return [name, f"{ours:.1f} ms", f"{floor:.1f} ms", f"{GOAL:g} ms", met(ours, GOAL), *others]
