"""How quickly a long conversation is made shorter, beside writing it as JSON once, which each request needs anyway.

What a model takes for a summary is not counted: it is scripted.
"""

import asyncio
import json
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from openkoi_compaction import FactExtracting, PeriodicSummary, RollingWindow
from openkoi_hookspecs import Compactor, Message, Role, Run, ToolCall, ToolResult
from openkoi_runlog import to_dict
from openkoi_testing import make_run

from .contest import load, met, table

TURNS, RESULT = 400, "def area(width, height):\n    return width * height\n" * 50
GOAL = 1.0  # of the JSON: a compaction costs no more than a request
SUMMARY = "Goal: read all files.\nFacts:\n- area() is in shapes.py.\n\nOpen: the tests."
COMPACTORS: dict[str, Compactor] = {
    "rolling-window": RollingWindow(),
    "periodic-summary": PeriodicSummary(),
    "fact-extracting": FactExtracting(),
}


def show(rounds: int) -> None:
    """Print a table."""
    messages = conversation()
    size = len(json.dumps([to_dict(one) for one in messages])) / 1e6
    rows = []
    for name, compactor in COMPACTORS.items():
        pairs = [asyncio.run(measure(messages, compactor)) for _ in range(rounds)]
        ratio = statistics.median(ours / floor for ours, floor in pairs)
        speed = statistics.median(size / ours for ours, _ in pairs)
        rows.append([name, f"{speed:,.0f} MB/s", f"{ratio:.2f} x", f"{GOAL:g}", met(ratio, GOAL)])
    head = [f"{size:.1f} MB in {TURNS} turns ({load()})", "of processor time", "its JSON once", "goal", ""]
    print(table(head, rows))


def conversation() -> list[Message]:
    """Return a task, and turns that each read a file."""
    messages = [Message.user("Read all files, and say what they do.")]
    for turn in range(TURNS):
        call = ToolCall(f"c{turn}", "read_file", {"path": f"shapes{turn}.py"})
        messages += [Message(Role.ASSISTANT, (call,)), Message(Role.USER, (ToolResult(RESULT, call=call.id),))]
    return messages


async def measure(messages: list[Message], compactor: Compactor) -> tuple[float, float]:
    """Return the seconds of processor time of a compaction, and of writing the conversation as JSON."""
    with TemporaryDirectory() as folder:
        async with make_run(Path(folder), says=[SUMMARY]) as run:
            ours = await timed(compactor, messages, run)
            began = process_time()
            json.dumps([to_dict(one) for one in messages])
            return ours, process_time() - began


async def timed(compactor: Compactor, messages: list[Message], run: Run) -> float:
    began = process_time()
    shorter = await compactor.compact(messages, run)
    took = process_time() - began
    assert len(shorter) < len(messages)
    return took
