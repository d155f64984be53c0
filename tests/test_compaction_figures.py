"""When the history is compacted, the screen and the log say what was removed from it."""

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, logged_records
from verdict_runs import configure, folder_with_test, write_script_outside

from openkoi_hookspecs import ToolCall, Usage
from openkoi_testing.servers import OpenAIServer, Say

PAGE = "the carp swims below the bridge\n" * 700
REPLY = re.compile(r"\[compact\] removed the (\d+ )?oldest turns? from the history \((.+)\): (\S+) -> (\S+) tokens")
READ = """\
  - when: {{last: {last}, tools: true}}
    says: I read page {n}.
    calls: [{{tool: {tool}, arguments: {arguments}}}]
    usage: {{input: {used}, output: 20}}
"""
NOTES = """\
  - when: {contains: "oldest part of your work"}
    says: "Goal: read the pages. Files: all pages speak of carps."
    repeat: true
    usage: {input: 100, output: 30}
"""
DONE = '  - says: "All pages speak of carps."\n    repeat: true\n    usage: {input: 100, output: 10}\n'


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with pages that are too long to be read at once."""
    openkoi = folder_with_test(tmp_path)
    for number in range(9):
        (openkoi.folder / f"{number}.md").write_text(f"# Page {number}\n{PAGE}")
    return openkoi


def turns(count: int, *, listing: int = 99) -> str:
    """Return a model that reads a number of pages, and then answers; with ``listing`` it searches instead."""
    reply = ""
    for n in range(count):
        tool, arguments = ("search", '{pattern: "Page"}') if n == listing else ("read_file", f"{{path: {n}.md}}")
        last = "pages speak" if n == 0 else "8.md" if n == listing + 1 else f'"# Page {n - 1}"'
        reply += READ.format(n=n, last=last, tool=tool, arguments=arguments, used=min(6_000 * (n + 1), 26_000))
    return f"{NOTES}{reply}{DONE}"


def model(openkoi: Shell, text: str, context: int = 32_000) -> str:
    name = write_script_outside(openkoi, text)
    path = Path(name.removeprefix("scripted/"))
    path.write_text(f"context: {context}\noutput: 2000\n{path.read_text()}")
    return name


def compactions(openkoi: Shell) -> list[dict[str, Any]]:
    """Return the log's record of each."""
    return [line["data"] for line in logged_records(openkoi.home) if line["type"] == "history.compressed"]


@pytest.mark.parametrize("compactor", ["", "rolling-window", "periodic-summary"])
def test_what_was_removed_is_on_the_screen_and_in_the_log(openkoi: Shell, compactor: str) -> None:
    configure(openkoi, f'[use]\ncompactor = "{compactor}"\n' if compactor else "")
    result = openkoi("What do the pages speak of?", "-m", model(openkoi, turns(7, listing=1)), "--iterate", "0")

    assert 0 == result.returncode, result.stderr
    reply, logged = REPLY.findall(result.stderr), compactions(openkoi)
    assert len(reply) == len(logged) >= 1
    for (count, calls, _, _), facts in zip(reply, logged, strict=True):
        assert int(count or 1) == facts["turns"] == sum(facts["tools"].values())
        assert calls == ", ".join(f"{number} {tool}" for tool, number in facts["tools"].items())
        assert facts["before"] > facts["after"] + 5_000 * facts["tools"].get("read_file", 0)
    assert {"read_file", "search"} == {tool for facts in logged for tool in facts["tools"]}
    assert REPLY.findall(openkoi("replay").stderr) == reply


def test_calls_that_share_an_id_are_counted_each(openkoi: Shell) -> None:
    text = '[models.known."openai/gpt-fake"]\ncontext = 32000\noutput = 2000\n'
    configure(openkoi, f'[use]\ncompactor = "rolling-window"\n{text}')
    reads = [
        Say([ToolCall("call_0", "read_file", {"path": f"{n}.md"})], usage=Usage(input=6_000 * n + 6_000))
        for n in range(4)
    ]
    with OpenAIServer(*reads, "Carps.") as server:
        there = openkoi.with_environment(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        result = there("What do the pages speak of?", "-m", "openai/gpt-fake", "--iterate", "0")

    assert 0 == result.returncode, result.stderr
    assert {"turns": 1, "tools": {"read_file": 1}}.items() <= compactions(openkoi)[0].items()
    assert "(1 read_file)" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")
def test_a_resumed_run_says_once_what_was_removed_before_it_was_killed(openkoi: Shell) -> None:
    name = model(openkoi, turns(7).replace("I read page 6.", "I read page 6.\n    delay: 60"))
    with openkoi.started("What do the pages speak of?", "-m", name, "--iterate", "0") as child:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not compactions(openkoi):
            time.sleep(0.05)
        child.kill()
    before = compactions(openkoi)
    model(openkoi, turns(7))
    again = openkoi("resume")

    assert 0 == again.returncode, again.stderr
    after = compactions(openkoi)
    assert before == after[: len(before)]
    assert len(after) - len(before) == len(REPLY.findall(again.stderr))
