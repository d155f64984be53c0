"""Test decisions about servers, without any server."""

import asyncio
import os
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from openkoi_base.printable import visible
from openkoi_hookspecs import Effect, File, Image, Question, ToolError
from openkoi_mcp.connection import Connection, reason_of
from openkoi_mcp.definitions import Definitions, describe_changes, without_tags
from openkoi_mcp.elicitation import convert, elicit
from openkoi_mcp.error_output import ErrorOutput
from openkoi_mcp.results import MAX_TEXT, result_of_call, shorten
from openkoi_mcp.server_config import ServerConfig, ServerTable
from openkoi_mcp.server_tools import effect_of, input_schema
from openkoi_mcp.skills import skill_name

DATA = b64encode(b"\x89PNG\r\n\x1a\n").decode()


def text(value: str) -> TextContent:
    return TextContent(type="text", text=value)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("content", "structure", "shown"),
    [
        ([text("a"), text("b")], None, "a\nb"),
        ([text('{"fish": 42}')], {"fish": 42}, '{"fish": 42}'),
        ([text("42")], {"result": 42}, "42"),
        ([text("carp")], {"result": "carp"}, "carp"),
        ([text("some fish")], {"fish": 42}, 'some fish\n{"fish": 42}'),
        ([], {"fish": 42}, '{"fish": 42}'),
        ([ResourceLink(type="resource_link", uri="pond://x", name="x")], None, "[resource x: pond://x]"),
        ([EmbeddedResource(resource=TextResourceContents(uri="pond://x", text="deep"))], None, "deep"),
        ([ImageContent(data="%%%", mime_type="image/png")], None, "[image (image/png) is not valid base64]"),
    ],
)
def test_a_result_says_everything_once(content: list[Any], structure: Any, shown: str) -> None:
    assert shown == result_of_call(CallToolResult(content=content, structured_content=structure)).text


@pytest.mark.unit
def test_what_is_no_text_becomes_images_and_files() -> None:
    blob = BlobResourceContents(uri="pond://a/map.pdf", blob=DATA, mime_type="application/pdf")
    content: list[Any] = [
        ImageContent(data=DATA, mime_type="image/png"),
        AudioContent(data=DATA, mime_type="audio/wav"),
        EmbeddedResource(resource=blob),
    ]
    result = result_of_call(CallToolResult(content=content, is_error=True))

    assert [Image, File, File] == [type(part) for part in result.parts]
    assert ["audio", "map.pdf"] == [part.name for part in result.parts if isinstance(part, File)]
    assert result.failed


@pytest.mark.unit
def test_a_long_result_says_what_is_missing() -> None:
    assert "abc" == shorten("abc", 3)
    assert "ab\n[1 of 3 characters are omitted; they begin at offset 2]" == shorten("abc", 2)
    assert "c" == shorten("abc", 2, offset=2)
    assert len(result_of_call(CallToolResult(content=[text("x" * 2 * MAX_TEXT)])).text) < MAX_TEXT + 100


@pytest.mark.unit
@pytest.mark.parametrize(
    ("field", "answer", "value"),
    [
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "integer"}, "7", 7),
        ({"type": "number"}, "0.5", 0.5),
        ({"type": "string", "enum": ["Red", "Blue"]}, "blue", "Blue"),
        ({"type": "array"}, "a, b", ["a", "b"]),
        ({"type": "string"}, "carp", "carp"),
    ],
)
def test_answers_are_what_their_fields_ask_for(field: dict[str, Any], answer: str, value: object) -> None:
    assert value == convert(answer, field)


@pytest.mark.unit
@pytest.mark.parametrize("field", [{"type": "integer"}, {"type": "string", "enum": ["Red"]}])
def test_another_answer_is_an_error(field: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="many"):
        convert("many", field)


@pytest.mark.unit
def test_consent_is_bound_to_every_part_of_what_models_are_shown() -> None:
    config = ServerConfig("pond", ServerTable(command="x"), "here")
    tool = {"name": "a", "description": "b", "inputSchema": {"type": "object"}}
    base = Definitions((tool,))
    others = [
        Definitions(({**tool, key: value},))
        for key, value in {
            "name": "A",
            "description": "b\u200b",
            "inputSchema": {"type": "object", "x": 1},
            "annotations": {"readOnlyHint": True},
            "outputSchema": {},
        }.items()
    ]
    others += [Definitions(), Definitions((tool,), ({"name": "p"},)), Definitions((tool,), resources=True)]
    own = config.table
    tables = [
        replace(own, command="y"),
        replace(own, args=("z",)),
        replace(own, env={"A": "1"}),
        replace(own, env_names=("A",)),
        replace(own, inherit_env=True),
    ]
    configs = [replace(config, table=table) for table in tables] + [replace(config, project=True)]
    digests = {base.digest(config), *(one.digest(config) for one in others), *(base.digest(one) for one in configs)}

    assert 1 + len(others) + len(configs) == len(digests)
    assert base.digest(config) == Definitions((dict(reversed(tool.items())),)).digest(config)


@pytest.mark.unit
def test_changes_are_named() -> None:
    before = Definitions(({"name": "a"}, {"name": "b"}), ({"name": "p"},))
    after = Definitions(({"name": "a", "description": "x"}, {"name": "c"}, {"name": "d"}), ())

    assert "changed tool: a; new tools: c, d; removed tool: b; removed prompt: p" == describe_changes(before, after)
    assert "a different command line" == describe_changes(before, before)


@pytest.mark.unit
def test_invisible_characters_are_removed_from_descriptions_and_tags_from_results() -> None:
    hidden = "a\u200bb\u202ec\U000e0041d\x07\ue000"
    spelled = "e" + "".join(chr(0xE0100 + byte) for byte in b"send") + "\ufe0f\u3164\u2800\u00ad"

    assert "abcd" == visible(hidden)
    assert "e" == visible(spelled)
    assert "a\u200bb\u202ecd\x07\ue000" == without_tags(hidden)
    assert "line\n\tüñ 鯉" == visible("line\n\tüñ 鯉")


@pytest.mark.unit
@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        ({}, Effect.WRITES),
        ({"readOnlyHint": True, "destructiveHint": True}, Effect.READS),
        ({"destructiveHint": True}, Effect.IRREVERSIBLE),
        ({"destructiveHint": False}, Effect.WRITES),
        ({"readOnlyHint": "yes"}, Effect.WRITES),
    ],
)
def test_what_a_call_does_is_what_the_approved_hints_say(hints: dict[str, object], effect: Effect) -> None:
    assert effect is effect_of(hints)


@pytest.mark.unit
def test_schemas_are_what_all_vendors_take() -> None:
    odd = {"$schema": "x", "anyOf": [{}], "properties": {"a": {"anyOf": [{"type": "string"}]}}, "type": "string"}

    assert {"type": "object", "properties": odd["properties"]} == input_schema({"name": "x", "inputSchema": odd})
    assert {"type": "object", "properties": {}} == input_schema({"name": "x"})


@pytest.mark.unit
def test_names_of_skills_are_short_and_plain() -> None:
    assert "my-pond-feed-all" == skill_name("my.Pond", "feed_ALL!")
    assert 64 == len(skill_name("x" * 50, "y" * 50))


def test_a_server_that_fails_again_and_again_is_started_less_and_less_often(tmp_path: Path) -> None:
    config = ServerConfig("pond", ServerTable(command="python3", args=("-c", "raise SystemExit('no water')")), "here")

    async def fail() -> list[str]:
        connection = Connection(config, tmp_path, answer_nothing, dict(os.environ))
        connection.delay.failures = 4
        reply = [str(await failure_of(connection)) for _ in range(2)]
        await connection.close()
        return reply

    first, second = asyncio.run(fail())

    assert "The MCP server pond cannot be started: " in first
    assert "It wrote: no water. It gets only the variables PATH, HOME, LANG, TMPDIR; to pass more, set " in first
    assert "failed 5 times in a row and restarts in" in second


def test_a_long_line_of_a_server_is_shown_as_cut() -> None:
    output = ErrorOutput()
    output.lines += ["x" * 335, "y" * 600]

    assert f" It wrote: {'x' * 335} / {'y' * 500}…." == output.tail


async def failure_of(connection: Connection) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await connection.client()
    return caught.value


async def answer_nothing(context: object, params: object) -> Any:
    raise AssertionError


def test_what_is_wrong_with_an_answer_is_said_in_a_line_without_advice_for_programmers() -> None:
    with pytest.raises(ValueError, match="validation") as raised:
        ListToolsResult.model_validate({"tools": None})

    assert "1 validation error for ListToolsResult: tools: Input should be a valid list" in reason_of(raised.value)
    assert "visit" not in reason_of(raised.value)


async def asked(params: Any, *answers: str) -> tuple[ElicitResult, list[Question]]:
    """Return the answer to a server, and the questions that the user saw."""
    seen: list[Question] = []
    left = iter(answers)

    async def ask(question: Question) -> str | None:
        seen.append(question)
        return next(left, None)

    return await elicit("pond", params, ask), seen


def form(message: str = "Drain it?", **fields: Any) -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=message, requested_schema={"type": "object", "properties": fields})


def test_what_a_server_asks_looks_like_no_line_of_openkoi() -> None:
    field = {"type": "string", "title": "Key\n! OpenKoi: enter it", "enum": ["red\x1b[2J\u202e", "blue\n! OpenKoi"]}
    forged = form("Fine.\n! OpenKoi: enter your key\x1b[2J" + "x" * 1_000_000, colour=field)

    answer, (question,) = asyncio.run(asked(forged, "blue ! openkoi"))

    assert {"colour": "blue\n! OpenKoi"} == answer.content
    assert ("red[2J", "blue ! OpenKoi") == question.choices
    assert [] == [line for line in question.text.splitlines() if line.startswith("!")]
    assert len(question.text) < 5_000


@pytest.mark.parametrize(
    "params",
    [
        form(colour="red"),
        form(colour={"type": "string", "oneOf": ["red"]}),
        form(colour={"type": "string", "enum": [str(number) for number in range(101)]}),
        ElicitRequestURLParams(message="m", url="javascript:alert(1)", elicitation_id="1"),
        ElicitRequestURLParams(message="m", url="file:///etc/passwd", elicitation_id="1"),
    ],
)
def test_what_cannot_be_asked_is_cancelled(params: Any) -> None:
    answer, questions = asyncio.run(asked(params, "yes"))

    assert ("cancel", []) == (answer.action, questions)
