"""What a conversation has left out is in the run log, and the model can read it again by the numbers in the mark."""

import asyncio
from pathlib import Path

import pytest

from openkoi_compaction import PeriodicSummary, ReadHistoryTool, RollingWindow
from openkoi_compaction.conversation_turns import format_page, turns_in
from openkoi_compaction.transcript import format_part
from openkoi_hookspecs import (
    Agent,
    Compactor,
    File,
    Image,
    KoiError,
    Limits,
    Message,
    Role,
    Task,
    Text,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_scripted import Line, Scripted
from openkoi_testing import Scenario, make_run, run_scenario
from openkoi_testing.scenario import FinishedRun

FILES = 6
AGENT = Agent(name="digger", context=4000)


def reads(folder: Path) -> list[Line]:
    """Write files too long to be remembered together, and read them one after another."""
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"Pond {number} has {number * 7} frogs.\n" * 250)
    return [ToolCall("", "read_file", {"path": f"{number}.md"}) for number in range(FILES)]


def again(first: int, last: int) -> ToolCall:
    return ToolCall("", "call_tool", {"name": "read_history", "arguments": {"first": first, "last": last}})


def done(folder: Path, script: Scripted, compactor: Compactor, history: tuple[Message, ...] = ()) -> FinishedRun:
    stage = Scenario(
        model=script,
        tool_providers={"history": ReadHistoryTool()},
        others={"compactors": {"given": compactor}},
        settings={"use.compactor": "given"},
        installed=frozenset({"tools", "sandboxes", "checkpoints"}),
    )
    task = Task("Count the frogs.", limits=Limits(iterations=0), agent=AGENT, history=history)
    return run_scenario(task, stage, folder)


def last_results(rehearsed: FinishedRun) -> list[str]:
    return [r.event.result.text for r in rehearsed.records if isinstance(r.event, events.ToolCallFinished)]


@pytest.mark.row("MEM-08")
@pytest.mark.parametrize(
    ("compactor", "notes"), [(RollingWindow(), ()), (PeriodicSummary(summaries=1), ("Files: the first ponds.",))]
)
def test_a_run_reads_again_what_was_left_out(tmp_path: Path, compactor: Compactor, notes: tuple[str, ...]) -> None:
    first, second, third, *rest = reads(tmp_path)
    script = Scripted([first, second, third, *notes, *rest, again(1, 1), "Counted."])
    rehearsed = done(tmp_path, script, compactor)
    (mark, *_) = [part.text for part in script.asked[-1].messages[0].parts if isinstance(part, Text)][1:]

    assert "Counted." == rehearsed.result.text
    assert "Compacted history" in mark
    assert "read_history shows" in mark
    assert "Pond 0 has 0 frogs." in last_results(rehearsed)[-1]
    assert "Pond 1 has 7 frogs." not in last_results(rehearsed)[-1]


def test_the_mark_numbers_the_turns_as_the_log_does(tmp_path: Path) -> None:
    script = Scripted([*reads(tmp_path), "Counted."])
    rehearsed = done(tmp_path, script, RollingWindow())
    run = rehearsed.records[0].run
    mark = script.asked[-1].messages[0].parts[1]
    left = [part for message in script.asked[-1].messages[1:] for part in message.parts if isinstance(part, ToolCall)]
    turns = turns_in(rehearsed.records, run, "executor")

    assert FILES + 1 == len(turns)
    assert isinstance(mark, Text)
    assert f"(1-{FILES - len(left)})" in mark.text
    assert "You called read_file" in turns[0].text
    assert "Pond 5 has 35 frogs." in turns[5].text


def test_the_turns_of_the_conversation_before_are_numbered_too(tmp_path: Path) -> None:
    script = Scripted([*reads(tmp_path), "Counted."])
    history = (Message.user("I own ponds."), Message(Role.ASSISTANT, (Text("How many?"),)), Message.user("Six."))
    rehearsed = done(tmp_path, script, RollingWindow(), history)
    turns = turns_in(rehearsed.records, rehearsed.records[0].run, "executor")
    left = [part for message in script.asked[-1].messages[1:] for part in message.parts if isinstance(part, ToolCall)]
    texts = [part.text for part in script.asked[-1].messages[0].parts if isinstance(part, Text)]
    (mark,) = [text for text in texts if "Compacted history" in text]

    assert FILES + 2 == len(turns)
    assert "How many?" in turns[0].text
    assert f"(1-{1 + FILES - len(left)})" in mark


def test_a_record_names_images_and_files() -> None:
    shot, paper = Image(b"", "image/png"), File(b"", "application/pdf", "paper.pdf")

    result = ToolResult("A photo.", parts=(Text("Of the pond:"), shot, paper))
    assert "It answered: A photo.\nOf the pond:\n[image/png]\n[paper.pdf application/pdf]" == format_part(
        result, Role.USER
    )
    assert "The user attached [image/png]" == format_part(shot, Role.USER)


def test_people_s_words_are_never_left_out(tmp_path: Path) -> None:
    script = Scripted([*reads(tmp_path), "Counted."])
    done(tmp_path, script, RollingWindow())

    opened, ended = script.asked[0].messages[0].parts[0], script.asked[-1].messages[0].parts[0]
    assert opened == ended
    assert script.asked[0].system == script.asked[-1].system
    assert Role.USER is script.asked[-1].messages[0].role


def test_turns_that_are_not_there_are_said_so(tmp_path: Path) -> None:
    async def asked() -> None:
        async with make_run(tmp_path) as run:
            (tool,) = await ReadHistoryTool().tools(run)
            assert tool.deferred
            await tool.call({"first": 4})

    with pytest.raises(KoiError, match="No such turns"):
        asyncio.run(asked())


def test_a_long_text_comes_in_pages() -> None:
    text = "\n".join(f"{number} {'x' * 990}" for number in range(50))

    first = format_page(text, 1)
    assert first.endswith("[30 more lines; continue with line=21]")
    assert format_page(text, 21).startswith("20 x")
    assert format_page(text, 50) == text.splitlines()[-1]
    assert "[5000 more characters in this line]" in format_page("y" * 25_000, 1)
    with pytest.raises(KoiError, match="only 50 lines"):
        format_page(text, 51)
