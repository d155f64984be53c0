"""Measure streaming an answer of two hundred words, beside reading its bytes, the vendor's library and peers.

Ours is a whole call by the kernel: reserved, streamed, told to whoever listens, paid and written down. Once the words
come as fast as they can be read, once a millisecond apart. The bytes, the vendor's library and peers are read as they
come; ours waits 10 ms after a piece where pieces come quickly, and reads several at a time.
"""

from collections.abc import Sequence

from .contest import Contestant, Entry, Pair, enlisted, in_turn, load, model, spread, table, times
from .peers import peers

CHUNKS = 200
CALLS = 5
GOAL = "Goal: at most 5 ms more per call than reading the bytes."
PAUSES = {0: "at once", 1000: "1 ms apart"}
RAW, OURS = "bytes by httpx2", "openkoi"
PEERS = ("openai", "pydantic-ai", "langgraph")
OWN = (Entry(RAW, "raw_bytes"), Entry(OURS, "ours"))


def show(rounds: int) -> None:
    """Print a table with the goals."""
    rows = []
    raw, ours = OWN
    with model() as url, enlisted([raw, *peers(*PEERS), ours], url) as contestants:
        in_turn(contestants, 1, chunks=CHUNKS, pause=0)
        for pause, output in PAUSES.items():
            found = in_turn(contestants, rounds, chunks=CHUNKS, pause=pause, again=CALLS)
            rows += [row(one, found[one.entry.name], f"{output} ({load()})") for one in contestants]
    print(table([f"{CHUNKS} chunks", "arrival", "processor time", "more than reading the bytes, per call"], rows))
    print(GOAL)


def row(one: Contestant, pairs: Sequence[Pair], when: str) -> list[str]:
    over = spread([(pair.cost.cpu - pair.floor.cpu) / CALLS * 1000 for pair in pairs])
    return [f"{one.entry.name} {one.version}", when, f"{times(pairs).formatted()} x", f"{over.formatted(1)} ms"]
