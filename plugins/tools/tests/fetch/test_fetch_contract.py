"""Test the tool provider's contract, and its tool in a run: deferred, read-only, with approval."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import (
    Allow,
    Arguments,
    ConfigError,
    Effect,
    Permission,
    Run,
    Task,
    Tool,
    ToolCall,
    ToolResult,
    events,
    hookimpl,
)
from openkoi_testing import Scenario, ToolProviderContract, run_scenario
from openkoi_tools.fetch import Fetch, FetchGate

if TYPE_CHECKING:
    from plugins.tools.tests.fetch.conftest import Web


class TestContract(ToolProviderContract):
    subject = Fetch()


class Careless:
    """A plugin that allows everything."""

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Permission:
        """Allow it."""
        return Allow()


def test_it_only_reads_and_its_schema_is_found_when_needed() -> None:
    tool = Fetch().tool()

    assert ("fetch_url", Effect.READS, True) == (tool.name, tool.effect, tool.deferred)


async def answer(arguments: Arguments) -> ToolResult:
    """A tool of another plugin."""
    return ToolResult("")


def test_another_tool_is_none_of_its_business() -> None:
    tool = Tool("fetch_url", "of somebody else", {"type": "object"}, answer)

    assert FetchGate().before_tool(ToolCall("1", "fetch_url", {"url": "file:///x"}), tool) is None


@pytest.mark.parametrize(
    "line",
    ["https://docs.python.org", "docs.python.org/3", "", "a b", "user@host", "host:", "host:http", "*.", "*x.org"],
)
def test_a_line_that_is_no_host_is_refused_with_its_key(line: str) -> None:
    with pytest.raises(ConfigError, match=r"\[tools.fetch\] allow: .* is not a valid host"):
        Fetch(allow=[line])


def test_bounds_that_leave_nothing_are_refused() -> None:
    with pytest.raises(ConfigError, match="above zero"):
        Fetch(seconds=0)


def test_in_a_run_a_listed_page_is_read_and_nobody_is_asked(web: "Web", tmp_path: Path) -> None:
    server = web.site({"/": web.page("<h1>Hello</h1>")})
    stage = Scenario(
        says=[ToolCall("1", "fetch_url", {"url": f"{server.url}/"}), "Done."],
        settings={"tools.fetch.allow": [web.place(server)], "tools.fetch.seconds": 10},
        plugins={"fetch": FetchGate()},
    )

    run = run_scenario(Task("What is there?"), stage, tmp_path)

    answers = [record.event.result for record in run.records if isinstance(record.event, events.ToolCallFinished)]
    assert ["# Hello" in answer.text for answer in answers] == [True]
    assert not [record for record in run.records if isinstance(record.event, events.QuestionAsked)]


def test_in_a_run_another_host_is_asked_about_and_without_an_answer_nothing_is_sent(tmp_path: Path) -> None:
    stage = Scenario(
        says=[ToolCall("1", "fetch_url", {"url": "https://elsewhere.example/?q=secret"}), "Done."],
        tool_providers={"fetch": Fetch()},
        plugins={"careless": Careless(), "fetch": FetchGate()},
    )

    run = run_scenario(Task("What is there?"), stage, tmp_path)

    questions = [record.event.text for record in run.records if isinstance(record.event, events.QuestionAsked)]
    assert not [record for record in run.records if isinstance(record.event, events.ToolCallStarted)]
    assert questions[0].startswith("fetch: elsewhere.example is not an allowed host")
    assert 'Allow fetch_url {"url": "https://elsewhere.example/?q=secret"}?' in questions[0]


def test_without_its_gate_the_tool_itself_refuses_what_is_not_listed(tmp_path: Path) -> None:
    stage = Scenario(
        says=[ToolCall("1", "fetch_url", {"url": "https://elsewhere.example/"}), "Done."],
        tool_providers={"fetch": Fetch()},
        plugins={"careless": Careless()},
    )

    run = run_scenario(Task("What is there?"), stage, tmp_path)

    [answer] = [record.event.result for record in run.records if isinstance(record.event, events.ToolCallFinished)]
    assert answer.failed
    assert "the hook 'fetch', which asks about other hosts, is disabled" in answer.text


def test_two_calls_at_once_are_two_fetches(web: "Web") -> None:
    server = web.site({"/a": web.page("one"), "/b": web.page("two")})
    tool = Fetch(allow=[web.place(server)]).tool()

    async def both() -> list[str]:
        calls = (tool.call({"url": f"{server.url}/{path}"}) for path in "ab")
        return [result.text for result in await asyncio.gather(*calls)]

    assert ["one" in text and "two" not in text for text in asyncio.run(both())] == [True, False]
