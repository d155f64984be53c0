"""Test other features of servers: images, structured results, resources, prompts, questions; and HTTP."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from documented_plugins import DONE, calling, events_of, turn
from mcp_runs import POND, SDK_POND, Pond, pond, served

from openkoi_hookspecs import Image, events

ATTENDED = """
import json
import click
from openkoi_hookspecs import Koi, Question, Task

@click.command()
@click.argument("text")
@click.argument("answers", nargs=-1)
@click.pass_obj
async def do(koi: Koi, text, answers):
    waiting, asked = list(answers), []

    async def user(question: Question):
        asked.append([question.text, list(question.choices)])
        return waiting.pop(0) if waiting else None

    koi.attend(user)
    await koi.solve(Task(text))
    click.echo(json.dumps(asked))
"""


def test_images_and_structured_output_reach_the_model(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__picture"), calling("pond__describe")).approved()
    openkoi("Do it")
    results = [one.result for one in events_of(openkoi.openkoi, events.ToolCallFinished)]
    picture = next(one for one in results if one.parts)
    described = next(one for one in results if not one.parts)

    assert "a pixel" == picture.text
    assert [True] == [isinstance(part, Image) and part.media_type == "image/png" for part in picture.parts]
    assert {"fish": 42, "name": "koi"} == json.loads(described.text)


def test_resources_are_listed_and_read_within_a_budget_of_tokens(tmp_path: Path) -> None:
    listing, first = calling("pond__read_resource"), calling("pond__read_resource", uri="pond://log")
    rest, missing = (
        calling("pond__read_resource", uri="pond://log", offset=32_000),
        calling("pond__read_resource", uri="pond://x"),
    )
    openkoi = pond(tmp_path, listing, first, rest, missing).approved()
    openkoi("Do it")
    text, message, further, unknown = ordered(openkoi)

    assert "pond://log: log. Return the log of the pond." in text
    assert message.startswith("day 0: 42 fish\n")
    assert len(message) < 33_000
    assert "they begin at offset 32000]" in message
    assert further.startswith(read_on(message))
    assert "Unknown resource" in unknown or "not found" in unknown.lower()


def ordered(openkoi: Pond) -> list[str]:
    """Return the results of calls, in the order in which the model made them."""
    texts = [one.call.id for one in events_of(openkoi.openkoi, events.ToolCallStarted)]
    answered = {one.result.call: one.result.text for one in events_of(openkoi.openkoi, events.ToolCallFinished)}
    return [answered[id] for id in texts]


def read_on(text: str) -> str:
    """Return the text after the part that was read first."""
    whole = "".join(f"day {day}: 42 fish\n" for day in range(10_000))
    return whole[32_000:32_100]


def test_prompts_are_skills_whose_text_comes_from_the_server(tmp_path: Path) -> None:
    wanted = calling("pond__get_prompt", name="feed", arguments={"food": "peas"})
    openkoi = pond(tmp_path, calling("read_skill", name="pond-feed"), wanted).approved()
    openkoi("Do it")
    (plan,) = events_of(openkoi.openkoi, events.PlanReady)
    (index,) = [section.text for section in plan.plan.sections if section.name == "skills"]
    skill, prompt = ordered(openkoi)

    assert "pond-feed: How to feed koi." in index
    assert 'Call `pond__get_prompt` with {"name": "feed"' in skill
    assert "- `food` (required)" in skill
    assert "Feed the koi with peas, slowly." == prompt


@pytest.mark.parametrize(
    ("answers", "reply"),
    [
        (("yes", "7"), "accept sure=True fish=7"),
        (("yes", "many", "7"), "accept sure=True fish=7"),
        (("yes", "decline"), "decline None"),
        ((), "cancel None"),
    ],
)
def test_a_server_asks_the_user_in_the_middle_of_a_call(tmp_path: Path, answers: tuple[str, ...], reply: str) -> None:
    openkoi = pond(tmp_path, calling("pond__ask"), server={"timeout": 5.0}).approved()
    there = openkoi.openkoi.with_plugin(ATTENDED, commands="acme:do")
    result = there("acme", "Do it", *answers)
    data = json.loads(result.stdout)

    assert [reply] == openkoi.results
    assert ["The MCP server pond asks: Drain the pond?\nSure", ["yes", "no"]] == data[0]
    assert data[1:] == [] or "Fish (integer)" in data[1][0]


def test_a_server_that_speaks_the_newest_protocol_alone_is_called_and_may_ask(tmp_path: Path) -> None:
    calls = calling("pond__count_fish"), calling("pond__ask_back")
    openkoi = pond(tmp_path, *calls, options=("--modern",)).approved()
    there = openkoi.openkoi.with_plugin(ATTENDED, commands="acme:do")
    data = json.loads(there("acme", "Do it", "7").stdout)
    counted, answered = ordered(openkoi)

    assert ["The MCP server pond asks: How many?\nfish (integer)"] == [text for text, _ in data]
    assert "42 fish in koi" == counted
    assert "'fish': 7" in answered


def test_sampling_is_refused_with_a_clear_error(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__think")).approved()
    openkoi("Do it")

    assert "it asked to call a model (sampling), which OpenKoi does not allow" in openkoi.results[0]


def test_many_tools_are_found_by_search_and_their_server_is_started_by_the_first_call(tmp_path: Path) -> None:
    found = turn(calling("find_tool", query="extra thing 17"), when="contains: Do it, after: 0")
    called = turn(calling("call_tool", name="pond__extra_17", arguments={}), when="contains: Do it, after: 1")
    openkoi = pond(tmp_path, options=("--many", "30")).approved()
    (tmp_path / "script.yaml").write_text(f"turns:\n{found}{called}{DONE}")
    starts = len(openkoi.pids)
    openkoi("Say nothing of it")
    unused = len(openkoi.pids)
    openkoi("Do it")

    assert (starts, starts + 1) == (unused, len(openkoi.pids))
    assert "pond__extra_17" in openkoi.results[0]
    assert "extra" == openkoi.results[1]


@pytest.mark.parametrize("deferred", [True, False])
def test_no_model_call_waits_for_a_server_that_is_approved(tmp_path: Path, deferred: bool) -> None:
    """The server takes longer to start than a run that does not call it."""
    openkoi = pond(tmp_path, server={"deferred": deferred}).approved()
    script = tmp_path / "slow.sh"
    command = f"#!/bin/sh\n[ -e {tmp_path}/slow ] && sleep 20\nexec {sys.executable} {POND} {openkoi.calls}\n"
    script.write_text(command)
    script.chmod(0o755)
    openkoi.started_with(command=str(script), args=[], deferred=deferred).approved()
    (tmp_path / "slow").touch()
    openkoi("Say it")
    (completed,) = events_of(openkoi.openkoi, events.RunCompleted)

    assert completed.cost.seconds < 10


@pytest.mark.row("MCP-04", "C66")
@pytest.mark.parametrize("transport", ["http", "sse"])
def test_servers_are_reached_over_http(tmp_path: Path, transport: str) -> None:
    calls: list[Any] = [calling("pond__count_fish"), calling("pond__ask"), calling("pond__wait", seconds=0.2)]
    openkoi = pond(tmp_path, *calls, server={"enabled": False})
    with served(SDK_POND, openkoi.calls, transport) as url:
        openkoi.started_with(command="", args=[], url=url, transport=transport).approved()
        there = openkoi.openkoi.with_plugin(ATTENDED, commands="acme:do")
        there("acme", "Do it", "yes", "3")

    assert ["42 fish in koi", "accept sure=True fish=3", "waited"] == ordered(openkoi)


def test_a_server_that_is_not_there_is_named_and_the_run_goes_on(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, server={"command": "", "args": [], "url": "http://127.0.0.1:1/mcp"})
    openkoi.openkoi("mcp", "approve", "pond", "--yes")

    assert "The MCP server pond cannot be reached: " in openkoi("Do it")


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_server_elsewhere_that_ends_costs_its_calls_and_nothing_else(tmp_path: Path, transport: str) -> None:
    first = turn(calling("pond__crash"), when="contains: Do it, after: 0")
    second = turn(calling("pond__count_fish"), calling("read_file", path="a.txt"), when="contains: Do it, after: 1")
    openkoi = pond(tmp_path, server={"enabled": False})
    (openkoi.openkoi.folder / "a.txt").write_text("still here")
    (tmp_path / "script.yaml").write_text(f"turns:\n{first}{second}{DONE}")
    with served(SDK_POND, openkoi.calls, transport) as url:
        openkoi.started_with(command="", args=[], url=url, transport=transport).approved()
        openkoi("Do it")
    crashed, counted, text = ordered(openkoi)

    assert crashed.startswith("The MCP server pond ")
    assert counted.startswith("The MCP server pond cannot be reached: ")
    assert "still here" in text
