"""Test the workspace tools with the contract of tool providers, and the size of their definitions."""

import asyncio
import json
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError, Effect, Task, Tool, ToolCall, events
from openkoi_testing import Line, Scenario, make_run, run_scenario
from openkoi_testing.contracts.tool_provider import ToolProviderContract
from openkoi_tools import WorkspaceTools

ROOM = 3_000  # bytes; the first request of a question has 6 KB for everything (tests/test_small_requests.py)
ALWAYS = ["read_file", "list_files", "search", "edit_file", "write_file", "run_command", "ask_user"]


class TestContract(ToolProviderContract):
    subject = WorkspaceTools()


def test_the_tools_that_every_request_names_take_little_room_in_it(tmp_path: Path) -> None:
    tools = asyncio.run(tools_for(tmp_path))

    sent = [tool for tool in tools if not tool.deferred]
    shown = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in sent]
    assert ALWAYS == [tool.name for tool in sent]
    assert len(json.dumps(shown)) <= ROOM


def test_a_tool_that_is_seldom_needed_is_found_when_it_is(tmp_path: Path) -> None:
    assert ["apply_patch"] == [tool.name for tool in asyncio.run(tools_for(tmp_path)) if tool.deferred]


def test_readers_may_be_repeated_and_writers_may_not(tmp_path: Path) -> None:
    tools = asyncio.run(tools_for(tmp_path))

    writers = ["edit_file", "write_file", "run_command", "apply_patch"]
    assert writers == [tool.name for tool in tools if tool.effect is Effect.WRITES]
    assert all(tool.effect is Effect.READS for tool in tools if tool.name not in writers)
    assert not any(tool.allow_repeats for tool in tools)


def test_a_result_size_that_cannot_work_is_refused_with_its_key() -> None:
    with pytest.raises(ConfigError, match=r"\[tools.workspace\] max_result_kb is 1"):
        WorkspaceTools(max_result_kb=1)
    with pytest.raises(ConfigError, match="must be above zero"):
        WorkspaceTools(command_seconds=0)


@pytest.mark.row("LOOP-17")
def test_in_a_run_a_fault_is_read_by_the_model_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/auth.rs").write_text("fn login() {}\n")
    lines: list[Line] = [
        ToolCall("1", "read_file", {"path": "src/auth.sr"}),
        ToolCall("2", "read_file", {"path": "src/auth.rs"}),
        ToolCall("3", "edit_file", {"path": "src/auth.rs", "search": "login", "replace": "log_in"}),
        "Done.",
    ]

    run = run_scenario(Task("Rename login"), Scenario(says=lines), tmp_path)

    answers = [record.event.result for record in run.records if isinstance(record.event, events.ToolCallFinished)]
    assert [True, False, False] == [answer.failed for answer in answers]
    assert "File not found: src/auth.sr. Did you mean src/auth.rs?" == answers[0].text
    assert "fn log_in() {}\n" == (tmp_path / "src/auth.rs").read_text()


def test_a_person_reads_what_is_being_done(tmp_path: Path) -> None:
    (tmp_path / "auth.rs").write_text("fn login() {}\n")
    lines: list[Line] = [ToolCall("1", "read_file", {"path": "auth.rs"}), "Done."]

    run = run_scenario(Task("What does login do?"), Scenario(says=lines), tmp_path)

    assert ["Reading auth.rs"] == [
        r.event.progress_text for r in run.records if isinstance(r.event, events.ToolCallStarted)
    ]


async def tools_for(workspace: Path) -> list[Tool]:
    """The tools of a run."""
    async with make_run(workspace) as run:
        return list(await WorkspaceTools().tools(run))
