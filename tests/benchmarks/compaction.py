"""Measure how fast a long conversation is compacted, beside writing it as JSON once, as each request does.

What a model takes for a summary is not counted: it is scripted. The same conversation is made shorter by peers, each in
a process of its own, beside its JSON there: langchain-core's ``trim_messages`` keeps the newest half and asks no
model, langmem's ``summarize_messages`` counts tokens and asks one.
"""

import asyncio
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from openkoi_compaction import FactExtracting, PeriodicSummary, RollingWindow
from openkoi_hookspecs import Compactor, Message, Role, Run, ToolCall, ToolResult
from openkoi_runlog import to_dict
from openkoi_testing import make_run

from .contest import Contestant, enlisted, load, met, round_robin, table
from .contestants.shorter import RESULT, SUMMARY
from .peers import peers_in

TURNS = 400
GOAL = 1.0  # of the JSON: a compaction costs no more than a request
PEERS = ("langchain-core", "langmem")
COMPACTORS: dict[str, Compactor] = {
    "rolling-window": RollingWindow(),
    "periodic-summary": PeriodicSummary(),
    "fact-extracting": FactExtracting(),
}


def show(rounds: int) -> None:
    """Print a table."""
    messages = conversation()
    size = len(json.dumps([to_dict(one) for one in messages])) / 1e6
    found: dict[str, list[Sequence[float]]] = {}
    with enlisted(peers_in("shorter", *PEERS), "") as contestants:
        round_robin(contestants, 1, turns=TURNS)
        for _ in range(rounds):
            for name, compactor in COMPACTORS.items():
                found.setdefault(name, []).append(asyncio.run(measure(messages, compactor)))
            for name, costs in round_robin(contestants, 1, turns=TURNS).items():
                found.setdefault(name, []).append(costs[0].figures)
        rows = [row(name, found[name], size, f"{GOAL:g}") for name in COMPACTORS]
        rows += [row(name_of(one), found[one.entry.name], size) for one in contestants]
    head = [
        f"{size:.1f} MB in {TURNS} turns ({load()})",
        "speed per CPU second",
        "encoding as JSON",
        "goal",
        "",
        "text left",
    ]
    print(table(head, rows))


def name_of(one: Contestant) -> str:
    """Return a peer's name with its version."""
    return f"{one.entry.name} {one.version}"


def row(name: str, figures: Sequence[Sequence[float]], size: float, goal: str = "") -> list[str]:
    """Return a line of the table."""
    ratio = statistics.median(took / floor for took, floor, _ in figures)
    speed = statistics.median(size / took for took, *_ in figures)
    reached = met(ratio, GOAL) if goal else ""
    return [name, f"{speed:,.0f} MB/s", f"{ratio:.2f} x", goal, reached, f"{figures[0][2]:.0%}"]


def conversation() -> list[Message]:
    """Return a task, and turns that each read a file."""
    messages = [Message.user("Read all files, and say what they do.")]
    for turn in range(TURNS):
        call = ToolCall(f"c{turn}", "read_file", {"path": f"shapes{turn}.py"})
        messages += [Message(Role.ASSISTANT, (call,)), Message(Role.USER, (ToolResult(RESULT, call=call.id),))]
    return messages


async def measure(messages: list[Message], compactor: Compactor) -> list[float]:
    """Return the seconds of processor time of a compaction and of the conversation as JSON, and what is left."""
    with TemporaryDirectory() as folder:
        async with make_run(Path(folder), says=[SUMMARY]) as run:
            ours, shorter = await timed(compactor, messages, run)
            began = process_time()
            text = json.dumps([to_dict(one) for one in messages])
            floor = process_time() - began
            return [ours, floor, len(json.dumps([to_dict(one) for one in shorter])) / len(text)]


async def timed(compactor: Compactor, messages: list[Message], run: Run) -> tuple[float, Sequence[Message]]:
    began = process_time()
    shorter = await compactor.compact(messages, run)
    took = process_time() - began
    assert len(shorter) < len(messages)
    return took, shorter
