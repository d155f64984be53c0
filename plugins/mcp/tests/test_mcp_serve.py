"""Test ``openkoi mcp serve`` with the SDK's own client, as another program would use it."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from documented_plugins import DONE, calling, numbered, shell_with, turn
from mcp import Client, StdioServerParameters, stdio_client
from reference_servers import cache_folder, npm_package

WRITE = turn(calling("write_file", path="one.txt", content="one"), when="contains: Write it, after: 0")
GATE = """
from openkoi_hookspecs import Ask, hookimpl

@hookimpl
def before_tool(call, tool, run):
    return Ask("This writes a file.") if tool.name == "write_file" else None
"""
LINGER = turn(calling("run_command", command="sleep 60"), when="contains: Linger")


def serve(openkoi: Shell) -> StdioServerParameters:
    """Return how another program starts OpenKoi."""
    command, *arguments = openkoi.command("mcp", "serve")
    return StdioServerParameters(command=command, args=arguments, env=openkoi.environment, cwd=openkoi.folder)


def drive(openkoi: Shell, use: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    """Return the results of a client with the newest protocol, or the one before."""

    async def connect() -> Any:
        assert sys.__stderr__  # the default is the stream of when the SDK was imported, which pytest has closed
        async with asyncio.timeout(100), Client(stdio_client(serve(openkoi), sys.__stderr__), mode=mode) as client:
            return await use(client)

    return asyncio.run(connect())


def text_of(content: Sequence[Any]) -> str:
    return "".join(one.text for one in content)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_three_tasks_run_at_once_and_report_what_they_do(tmp_path: Path, mode: str) -> None:
    turns = turn(calling("list_files", path="."), when="contains: Number, after: 0")
    turns += "".join(numbered(number) for number in range(3)) + DONE
    openkoi = shell_with(tmp_path, turns=turns)

    async def use(client: Client) -> tuple[list[Any], list[str]]:
        reply: list[str] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            reply.append(str(message))

        tasks = [{"task": f"Number {number} please"} for number in range(3)]
        calls = [client.call_tool("run_task", task, progress_callback=note) for task in tasks]
        return [one.structured_content for one in await asyncio.gather(*calls)], reply

    results, reply = drive(openkoi, use, mode)

    assert [f"It is {number}." for number in range(3)] == [one["text"] for one in results]
    assert 3 == len({one["run"] for one in results})
    assert 3 == len([line for line in reply if "Listing" in line or "files" in line.lower()]), reply


def test_what_was_done_is_remembered_and_work_is_evaluated(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    (openkoi.folder / "test_pond.py").write_text("def test_pond() -> None:\n    assert 1 == 2\n")

    async def use(client: Client) -> Any:
        await client.call_tool("run_task", {"task": "Describe the carp"})
        recalled = await client.call_tool("recall", {"query": "carp"})
        evaluated = await client.call_tool("evaluate", {"judge": False})
        missing = await client.call_tool("evaluate", {"path": "no-such-folder"})
        return recalled.structured_content, json.loads(text_of(evaluated.content)), missing

    recalled, verdict, missing = drive(openkoi, use)

    assert any("Describe the carp" in text for text in recalled["result"])
    assert verdict["accepted"] is False
    assert any("test_pond" in finding["title"] for finding in verdict["findings"]), verdict
    assert missing.is_error
    assert "no-such-folder" in text_of(missing.content)


def test_a_question_is_returned_and_its_answer_goes_on_with_the_task(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, turns=WRITE + DONE).with_plugin(GATE, hooks="acme")

    async def use(client: Client) -> Any:
        stopped = (await client.call_tool("run_task", {"task": "Write it"})).structured_content
        listed = (await client.call_tool("list_questions", {})).structured_content
        (question,) = stopped["questions"]
        wrong = await client.call_tool("answer_question", {"id": "none", "answer": "no"})
        given = {"id": question["id"], "answer": "yes"}
        answered = (await client.call_tool("answer_question", given)).structured_content
        return stopped, listed["result"], wrong, answered["result"]

    stopped, listed, wrong, answered = drive(openkoi, use)

    assert "escalate" == stopped["decision"]
    assert stopped["questions"] == listed
    assert "one.txt" in listed[0]["text"]
    assert wrong.is_error
    assert "No question named 'none'" in text_of(wrong.content)
    assert (stopped["run"], "Done.") == (answered["run"], answered["text"])
    assert "one" == (openkoi.folder / "one.txt").read_text()


def test_a_task_whose_caller_gives_up_is_stopped(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, turns=LINGER + DONE)

    async def use(client: Client) -> Any:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(4):
                await client.call_tool("run_task", {"task": "Linger"})
        return (await client.call_tool("run_task", {"task": "Say it"})).structured_content

    assert "Done." == drive(openkoi, use, "legacy")["text"]
    assert "interrupted" in openkoi("status").stdout


def test_the_inspector_drives_it_from_its_own_command_line(tmp_path: Path) -> None:
    inspector = npm_package("@modelcontextprotocol/inspector", "mcp-inspector")
    openkoi = shell_with(tmp_path)
    started = [str(inspector), "--cli", *openkoi.command("mcp", "serve")]
    method = ["--method", "tools/call", "--tool-name", "run_task", "--tool-arg", "task=Say it"]
    assert shutil.which("node"), cache_folder()
    result = subprocess.run(
        [*started, *method],
        cwd=openkoi.folder,
        env={**openkoi.environment, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert 0 == result.returncode, result.stderr
    assert "Done." in result.stdout
