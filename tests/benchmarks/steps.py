"""Measure a step (a model call and a tool call) with the default bundle, beside bare httpx2 and peers.

Learning and the intake of memory after each run are counted. All have the same tool, the same number of steps and the
same model. Clients are opened before: at ten steps opening one would outweigh everything else. The bare loop streams,
as ours does; peers ask for whole answers, which is cheaper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .contest import Contestant, Entry, Pair, enlisted, in_turn, load, met, model, table, times
from .peers import peers

SIZES = (10, 50, 200, 1_000)
IN_A_TURN = 200
WARM_UP = 10
PEER_ROUNDS, LONG_ROUNDS = 2, 3  # peers differ from ours by factors; a long run takes a minute for each of its rounds
GOALS = {50: 2.5, 200: 2.0, 1_000: 1.5}
FLOOR = "bare httpx2 loop"
OURS = "openkoi"
OWN = (Entry(FLOOR, "bare"), Entry("the same, not streamed", "bare_whole"), Entry(OURS, "ours"))
PEERS = ("pydantic-ai", "smolagents", "langgraph")


@dataclass(frozen=True, slots=True)
class Column:
    """The cost per step for a number of steps, and how busy the machine was."""

    steps: int
    pairs: Mapping[str, Sequence[Pair]]
    load: str


def show(rounds: int, sizes: Sequence[int] = SIZES) -> None:
    """Print a table with the goals."""
    with model() as url, enlisted([*OWN, *peers(*PEERS)], url) as contestants:
        in_turn(contestants, 1, steps=WARM_UP)
        columns = []
        for steps in sizes:
            columns.append(column(contestants, rounds, steps))
            print(judged(columns[-1]), flush=True)
        head = ["processor time of a run", *(f"{one.steps} steps ({one.load})" for one in columns)]
        print(table(head, [row(one, columns) for one in contestants]))


def column(contestants: list[Contestant], rounds: int, steps: int) -> Column:
    """Run steps in turns of 200. The longest runs, each of which is a mean, are the floor's and ours."""
    floor, *others = contestants
    long, again = steps > IN_A_TURN, max(1, IN_A_TURN // steps)
    own = [floor, *(one for one in others if one.entry.name == OURS or not (long or one.entry.name in PEERS))]
    peers = [] if long else [floor, *(one for one in others if one.entry.name in PEERS)]
    pairs = in_turn(peers, min(rounds, PEER_ROUNDS), steps=steps, again=again) if peers[1:] else {}
    pairs |= in_turn(own, min(rounds, LONG_ROUNDS) if long else rounds, steps=steps, again=again)
    contestants[:] = [one for one in contestants if one not in (*own, *peers) or one.entry.name in pairs]
    return Column(steps, pairs, load())


def row(one: Contestant, columns: Sequence[Column]) -> list[str]:
    name = one.entry.name
    digits = 1 if name in PEERS else 2
    output = [f"{times(column.pairs[name]).formatted(digits)} x" if name in column.pairs else "" for column in columns]
    return [f"{name} {one.version}", *output]


def judged(column: Column) -> str:
    """Ours beside the goal, and beside the best of the other agents."""
    ratios = {name: times(pairs).median for name, pairs in column.pairs.items()}
    mine, peers = ratios[OURS], [ratio for name, ratio in ratios.items() if name in PEERS]
    aim = GOALS.get(column.steps)
    goal = f" (goal {aim}, {met(mine, aim)})" if aim else ""
    ahead = f"; the fastest other agent takes {min(peers) / mine:.1f} times as long as OpenKoi" if peers else ""
    return f"{column.steps} steps: {mine:.2f} x the floor{goal}{ahead}."
