"""A prompt states where and when it is used, from the first request to the last: also when that is on another day."""

import json
import signal
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import ToolCall, events
from openkoi_runlog import list_segments, read_segment
from openkoi_testing.servers import AnthropicServer, Say, ServerFault

MODEL = "claude-sonnet-4-5"
EARLY, LATE = "Etc/GMT+12", "Pacific/Kiritimati"  # 26 hours apart: it is never the same day in both
READ = ToolCall("toolu_1", "read_file", {"path": "a.txt"})
LIST = ToolCall("toolu_2", "list_files", {})


def project(openkoi: Shell, branch: str) -> None:
    """A repository on a branch, with tests that pytest runs."""
    (openkoi.folder / ".git").mkdir(exist_ok=True)
    (openkoi.folder / ".git/HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (openkoi.folder / "pytest.ini").write_text("[pytest]\n")
    (openkoi.folder / "a.txt").write_text("one\n")


def asking(openkoi: Shell, server: AnthropicServer, zone: str) -> Shell:
    """Return the command line in a time zone, with the server as the vendor. Run it cold.

    A warm process keeps its zone.
    """
    return openkoi.with_environment(ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="sk-ant-anything-at-all", TZ=zone)


def bodies(server: AnthropicServer) -> list[dict[str, Any]]:
    """Return the requests to the model."""
    return [json.loads(request.body) for request in server.requests if server.asks(request)]


def opening(body: dict[str, Any]) -> str:
    """Return the first text of a request's conversation."""
    text: str = body["messages"][0]["content"][0]["text"]
    return text


def facts(body: dict[str, Any]) -> dict[str, str]:
    """Return what a request states about the environment."""
    block = opening(body).partition("<environment>\n")[2].partition("\n</environment>")[0]
    return dict(line.split(": ", 1) for line in block.splitlines())


def steady(body: dict[str, Any]) -> str:
    """Return the parts of a request that must stay identical, byte by byte.

    Tools, system and messages, without cache marks.
    """
    kept = {key: body[key] for key in ("tools", "system", "messages")}
    return json.dumps(without_marks(kept))


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(item) for key, item in value.items() if key != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


def until_asked(server: AnthropicServer, count: int) -> None:
    """Wait until a model was called a number of times."""
    deadline = time.monotonic() + 30
    while len(server.asked) < count:
        assert time.monotonic() < deadline, "the model is not asked"
        time.sleep(0.05)


def interrupt_task(openkoi: Shell, server: AnthropicServer, zone: str) -> None:
    """Begin a task, and kill it while it waits for its second answer."""
    child = asking(openkoi, server, zone).started("-m", MODEL, "-i", "0", "What is in a.txt?")
    until_asked(server, 2)
    time.sleep(0.5)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=20)


def test_the_first_request_states_where_and_when_it_is(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    project(openkoi, "fix/the-bill")
    with AnthropicServer("It says one.", models=[MODEL]) as server:
        early = asking(openkoi, server, EARLY).cold("-m", MODEL, "-i", "0", "What is in a.txt?")
        asking(openkoi, server, LATE).cold("-m", MODEL, "-i", "0", "What is in a.txt?")
        first, second = map(facts, bodies(server))

    assert 0 == early.returncode, early.stderr
    assert ["Working directory", "Platform", "Shell", "Date", "Version control", "Tests"] == list(first)
    assert str(openkoi.folder) == first["Working directory"]
    assert "git, branch fix/the-bill" == first["Version control"]
    assert first["Tests"].endswith(" -m pytest")
    assert first["Date"] < second["Date"]


@pytest.mark.row("FLOW-10", "PROV-11")
def test_a_run_that_is_resumed_on_another_day_and_branch_sends_what_it_sent_before(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    project(openkoi, "main")
    with AnthropicServer(
        Say([READ]), Say("Never heard.", fault=ServerFault(delay=60)), Say([LIST]), "It says one.", models=[MODEL]
    ) as server:
        interrupt_task(openkoi, server, EARLY)
        project(openkoi, "another")
        result = asking(openkoi, server, LATE).cold("resume", "-m", MODEL)
        asked = [without_marks(body) for body in bodies(server)]

    assert 0 == result.returncode, result.stderr
    assert 4 == len(asked)
    assert 1 == len({opening(body) for body in asked})
    assert {"git, branch main"} == {facts(body)["Version control"] for body in asked}
    assert steady(asked[1]) == steady(asked[2])
    assert grows(asked)


def grows(asked: Sequence[dict[str, Any]]) -> bool:
    """Return whether each request begins with the one before: the same tools and system, and its messages first."""
    return all(
        (before["tools"], before["system"], before["messages"])
        == (after["tools"], after["system"], after["messages"][: len(before["messages"])])
        for before, after in pairwise(asked)
    )


def test_the_log_holds_what_a_model_was_told_of_the_environment_and_how_it_was_instructed(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    project(openkoi, "main")
    with AnthropicServer("It says one.", models=[MODEL]) as server:
        asking(openkoi, server, EARLY).cold("-m", MODEL, "-i", "0", "What is in a.txt?")
        (body,) = bodies(server)

    records = [record for path in list_segments(openkoi.home / "data/sessions") for record in read_segment(path)]
    (plan,) = [record.event.plan for record in records if isinstance(record.event, events.PlanReady)]
    named = {section.name: section for section in plan.sections}
    assert named["environment"].text in opening(body)
    assert body["system"][0]["text"].startswith(named["instructions"].text)
    assert ("openkoi", "environment") == (named["instructions"].source, named["environment"].source)


@pytest.mark.row("CFG-02")
def test_a_recording_is_replayed_on_another_day_in_another_folder_on_another_branch(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("here", "there")]
    for place in places:
        place.mkdir()
    here, there = map(shell, places)
    project(here, "main")
    project(there, "another")
    tape = tmp_path / "tape.jsonl"
    question = ("-m", MODEL, "-i", "0", "What is in a.txt?")
    with AnthropicServer(Say([READ]), "It says one.", models=[MODEL]) as server:
        recorded = asking(here, server, EARLY).cold(*question, "--record", str(tape))
    replayed = there.with_environment(ANTHROPIC_BASE_URL="http://127.0.0.1:1", TZ=LATE).cold(
        *question, "--replay", str(tape)
    )

    assert (0, 0) == (recorded.returncode, replayed.returncode), replayed.stderr
    assert "It says one.\n" == recorded.stdout == replayed.stdout
