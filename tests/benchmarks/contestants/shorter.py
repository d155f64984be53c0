"""Shorten a conversation with our compactors and with other libraries, and write it as JSON once."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.turns import Turn, take_part

RESULT = "def area(width, height):\n    return width * height\n" * 50
SUMMARY = "Goal: read all files.\nFacts:\n- area() is in shapes.py.\n\nOpen: the tests."
HALF, SUMMARY_TOKENS = 130_000, 256  # tokens; ours keeps half of the text, too
Messages = list[dict[str, Any]]


def conversation(turns: int) -> Messages:
    """Return a task, and turns that each read a file, in wire format."""
    messages: Messages = [{"role": "user", "content": "Read all files, and say what they do.", "id": "task"}]
    for turn in range(turns):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"shapes{turn}.py"})}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [call], "id": f"a{turn}"},
            {"role": "tool", "content": RESULT, "tool_call_id": f"c{turn}", "id": f"t{turn}"},
        ]
    return messages


def size_of(turns: int) -> int:
    """Return the size of its JSON in bytes."""
    return len(json.dumps(conversation(turns)))


def timed(shorten: Callable[[Sequence[Any]], Sequence[Any]]) -> Turn:
    """Return a turn that returns the seconds of making it shorter and of its JSON, and what share of it is left."""
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages

    def turn(asked: dict[str, int]) -> list[float]:
        plain = conversation(asked["turns"])
        messages = convert_to_messages(plain)
        began = time.process_time()
        shorter = shorten(messages)
        took = time.process_time() - began
        assert len(shorter) < len(messages)
        began = time.process_time()
        text = json.dumps(plain)
        floor = time.process_time() - began
        return [took, floor, len(json.dumps(convert_to_openai_messages(shorter))) / len(text)]

    return turn


def by_trimming() -> Turn:
    """Return ``trim_messages``, which keeps the newest messages that a number of tokens has room for."""
    from langchain_core.messages import trim_messages

    return timed(lambda messages: trim_messages(messages, max_tokens=HALF, token_counter="approximate", start_on="ai"))


def by_summary() -> Turn:
    """Return langmem's ``summarize_messages``, whose model is scripted."""
    from langchain_core.language_models import FakeListChatModel
    from langmem.short_term import summarize_messages

    def shorten(messages: Sequence[Any]) -> Sequence[Any]:
        found = summarize_messages(
            messages,
            running_summary=None,
            model=FakeListChatModel(responses=[SUMMARY]),
            max_tokens=2 * HALF,
            max_tokens_before_summary=HALF,
            max_summary_tokens=SUMMARY_TOKENS,
        )
        assert found.running_summary.summary == SUMMARY
        left: Sequence[Any] = found.messages
        return left

    return timed(shorten)


def by_openkoi(name: str) -> Turn:
    """Return one of the compactors of a new run, whose model is scripted."""
    from benchmarks.contestants.ours import SCRIPTED, opened

    import openkoi_compaction
    from openkoi_hookspecs import Message, Role, Task, ToolCall, ToolResult
    from openkoi_runlog import to_dict

    async def turn(asked: dict[str, int]) -> list[float]:
        messages = [Message.user("Read all files, and say what they do.")]
        for number in range(asked["turns"]):
            call = ToolCall(f"c{number}", "read_file", {"path": f"shapes{number}.py"})
            messages += [Message(Role.ASSISTANT, (call,)), Message(Role.USER, (ToolResult(RESULT, call=call.id),))]
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            async with opened(Path(folder), SCRIPTED) as koi:
                run = await koi.run_starter.make_run(Task("Read all files."))
                compactor = getattr(openkoi_compaction, name)()
                began = time.process_time()
                shorter = await compactor.compact(messages, run)
                took = time.process_time() - began
        assert len(shorter) < len(messages)
        began = time.process_time()
        text = json.dumps([to_dict(one) for one in messages])
        floor = time.process_time() - began
        return [took, floor, len(json.dumps([to_dict(one) for one in shorter])) / len(text)]

    return lambda asked: asyncio.run(turn(asked))


if __name__ == "__main__":
    take_part(
        {
            "rolling-window": lambda: by_openkoi("RollingWindow"),
            "periodic-summary": lambda: by_openkoi("PeriodicSummary"),
            "fact-extracting": lambda: by_openkoi("FactExtracting"),
            "langchain-core": by_trimming,
            "langmem": by_summary,
        }
    )
