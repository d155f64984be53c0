"""A message contains facts of the contract only, and a program that a plugin's process leaves blocks nothing."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime
from math import inf
from pathlib import Path, PurePath
from typing import Any

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Effect, Embedding, Model, Paths, Price, ProviderUnavailableError, Severity, Text
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext
from openkoi_loader.subprocess_plugin.messages import MAX_ERROR, Functions, make_error, no_number, pack, unpack
from openkoi_loader.subprocess_plugin.plugin import make_subprocess_plugin
from openkoi_loader.subprocess_plugin.process import MAX_QUESTIONS, MAX_SECRETS, Call, PluginProcess
from openkoi_loader.subprocess_plugin.streams import Stream
from openkoi_loader.subprocess_plugin.values import MAX_COLLECTIONS, MAX_KEYS, MAX_NESTING, MAX_VALUES, read_values
from openkoi_settings import Config

PLUGIN = """\
import os, time
from openkoi_hookspecs import Embedding

class Hostile:
    id = "hostile"
    async def embed(self, texts):
        do = texts[0]
        if do in ("leave", "stay") and not os.fork():
            os.setsid()
            open(os.path.join(os.environ["HOME"], "left"), "w").write(str(os.getpid()))
            time.sleep(60)
            os._exit(0)
        if do == "leave":
            os._exit(4)
        return Embedding([[1.0] for _ in texts])
"""


SAME_HASH = '[{"set":[' + ",".join(str((1 << 61) * one - one) for one in range(1, 100_000)) + "]}]"


@dataclass(frozen=True)
class Other(Text):
    """A fact of no contract."""


def arrive(*values: object) -> list[Any]:
    return read_values(unpack(pack(("answer", 1, *values), Functions().add)[4:]).values, refuse_function)


def refuse_function(number: int) -> Any:
    raise AssertionError(number)


@pytest.mark.unit
@pytest.mark.parametrize(
    "values",
    [
        [Text("koi"), Text("koi")],
        [Model(f"m{one}", context=1, output=2, price=Price(0.0, 1.0)) for one in range(300)],
        Embedding([[0.5, -1.25, 3.0] * 500] * 300),
        {
            "a": (1, 300, 70_000, -1, 1 << 80, None, True),
            ("b", "c"): {"d", 2.5},
            "e": frozenset("x"),
            "f": b"\x00" * 300,
        },
        ["long" * 40_000, Path("a/b"), PurePath("c"), bytearray(b"xyz"), {"nested": [[[[{}]]]]}],
        [Text, Effect.READS, Severity.IMPORTANT, inf, datetime(2026, 11, 27, 8, 5), date(2026, 1, 2), "\ud800[{\n"],
        "[{" * MAX_COLLECTIONS,
    ],
)
def test_values_arrive_as_they_were_sent(values: object) -> None:
    [arrived] = arrive(values)
    assert (values, type(values)) == (arrived, type(arrived))


@pytest.mark.unit
@pytest.mark.parametrize(
    "data",
    [
        pytest.param("[" * 200_000 + "]" * 200_000, id="deep lists"),
        pytest.param("[" * 300 + "]" * 300, id="lists that are a little too deep"),
        pytest.param('[{"items":[[' + '{"tuple":[' * 300 + "]}" * 300 + ",1]]}]", id="a deep key"),
        pytest.param('[{"items":[[[1],1]]}]', id="a key that has no hash"),
        pytest.param("[" + "[]," * 2_000_000 + "1]", id="many lists"),
        pytest.param('["' + "[" * MAX_COLLECTIONS + '"' + ",[]" * MAX_COLLECTIONS + "]", id="many lists beside a text"),
        pytest.param("[" * (MAX_COLLECTIONS + 1) + '"\\"' * 1_000_000, id="texts that do not end"),
        pytest.param("[" + '"ab",' * MAX_VALUES + "1]", id="many texts"),
        pytest.param('[{"tuple":"abc"}]', id="a text as a collection"),
        pytest.param('[{"dict":[["a",1]]}]', id="a list as a mapping"),
        pytest.param(SAME_HASH, id="a set whose members have one hash"),
        pytest.param('[{"items":[' + "[1,2]," * MAX_KEYS + "[1,2]]}]", id="a mapping with many keys that are no texts"),
        pytest.param("[" + "9" * 5_000 + "]", id="a number of many digits"),
        pytest.param('{"openkoi_hookspecs.content.Text":{"text":"x"}}', id="no list"),
        pytest.param('[{"openkoi_hookspecs.content.Text":{"text":"x"},"tuple":[]}]', id="two types"),
        pytest.param("[{}]", id="no type"),
        pytest.param('[{"openkoi_hookspecs.content.Text":{}}]', id="a field that is missing"),
        pytest.param(
            '[{"openkoi_hookspecs.content.Text":{"text":"x","__class__":"y"}}]', id="a field that no fact has"
        ),
        pytest.param('[{"openkoi_hookspecs.tool.Effect":"no such"}]', id="a member that no enumeration has"),
        pytest.param('[{"openkoi_hookspecs.tool.Effect":{"value":"A","names":"B"}}]', id="a new enumeration"),
        pytest.param('[{"enum.Enum":{"value":"A","names":"B"}}]', id="a class that is not of the contract"),
        pytest.param('[{"openkoi_hookspecs.content.Path":{}}]', id="a class that the contract imports"),
        pytest.param('[{"openkoi_hookspecs.content.image_type":{"data":"x"}}]', id="a function of the contract"),
        pytest.param('[{"openkoi_hookspecs.errors.KoiError":{}}]', id="an error"),
        pytest.param('[{"class":"openkoi_hookspecs.errors.KoiError"}]', id="the class of an error"),
        pytest.param('[{"os.system":{"command":"true"}}]', id="a function of another module"),
        pytest.param('[{"../os.system":{"command":"true"}}]', id="a name that is none"),
        pytest.param('[{"openkoi_settings.value.Setting":{"value":1,"origin":"x"}}]', id="a setting"),
        pytest.param('[{"bytes":"x"}]', id="half a byte"),
        pytest.param("[1", id="half of it"),
    ],
)
def test_values_that_are_not_of_the_contract_are_refused(data: str) -> None:
    """Each would take minutes if it were not refused at once."""
    with pytest.raises((ValueError, TypeError, RecursionError, ImportError)):
        read_values(data.encode(), refuse_function)


@pytest.mark.unit
@pytest.mark.parametrize(
    "value", [object(), Exception, os.getpid, Other("x"), re.compile("x"), pytest.param(10**5_000, id="digits")]
)
def test_a_value_without_a_form_is_not_sent(value: object) -> None:
    deep: list[object] = []
    deep.append(deep)

    for one in (value, [value], {"a": value}, deep):
        with pytest.raises((TypeError, ValueError)):
            arrive(one)


@pytest.mark.unit
def test_a_message_begins_with_a_kind_and_a_number() -> None:
    for head in ("[" + "[]," * 1_000_000 + "1]", '["answer",true]', "[1,1]", '["answer"]', "5"):
        with pytest.raises((ValueError, TypeError)):
            unpack(head.encode() + b"\n[]")


@pytest.mark.unit
def test_values_may_be_nested_as_deeply_as_they_may_be_sent() -> None:
    value: Any = 1
    for _ in range(MAX_NESTING - 1):
        value = (value,)

    assert [value] == arrive(value)
    with pytest.raises(ValueError, match="nested too deeply"):
        arrive((value,))


@pytest.mark.unit
def test_the_name_and_text_of_an_error_are_short() -> None:
    made = make_error("A\nB" * 1000, "x" * 1_000_000, {})
    known = make_error("ProviderUnavailableError", "x" * 1_000_000, {})

    assert ("Error", MAX_ERROR, MAX_ERROR) == (type(made).__name__, len(str(made)), len(str(known)))
    with pytest.raises(ValueError, match="an error whose args"):
        make_error("ProviderUnavailableError", "later", {"args": "abc"})


@pytest.mark.unit
def test_a_process_may_hold_few_secrets_and_the_same_again(tmp_path: Path) -> None:
    config = Config({}, Paths(tmp_path, tmp_path), tmp_path, environment={})
    site = BuildContext(config, Redactor(), refuse, {}, pytest.fail)
    process = PluginProcess(Found("providers", "acme", "acme:Acme", "acme"), site)

    def hold(secret: str) -> None:
        process.receive(pack(("hold", 1, secret, "$ACME"), no_number)[4:])

    for _ in range(MAX_SECRETS + 1):
        hold("sk-acme-0123456789abcdef")
    for number in range(MAX_SECRETS - 1):
        hold(f"{number}")
    with pytest.raises(ValueError, match=f"more than {MAX_SECRETS} secrets"):
        hold("another")


@pytest.mark.unit
def test_a_process_may_ask_few_questions_at_once(tmp_path: Path) -> None:
    config = Config({}, Paths(tmp_path, tmp_path), tmp_path, environment={})
    site = BuildContext(config, Redactor(), refuse, {}, pytest.fail)

    async def scenario() -> None:
        process = PluginProcess(Found("hooks", "acme", "acme:Acme", "acme"), site)
        process.calls[1] = Call("hook", asyncio.get_running_loop().create_future())
        question = pack(("ask", 1, 7, "search", ("koi",), {}), no_number)[4:]
        for _ in range(MAX_QUESTIONS):
            process.receive(question)
        with pytest.raises(ValueError, match="questions at once"):
            process.receive(question)
        for task in process.asked:
            task.cancel()

    asyncio.run(scenario())


@pytest.mark.unit
@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_a_stream_that_ends_the_program_is_said_to(error: BaseException) -> None:
    async def items() -> AsyncIterator[int]:
        raise error
        yield 1

    async def scenario() -> None:
        await Stream(items()).take()

    with pytest.raises(RuntimeError, match=f"it raised {type(error).__name__}"):
        asyncio.run(scenario())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("do", ["leave", "stay"])
def test_a_program_that_keeps_the_pipes_open_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, do: str
) -> None:
    (tmp_path / "acme_hostile.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    async def scenario() -> object:
        config = Config({}, Paths(tmp_path, tmp_path), tmp_path, environment={})
        site = BuildContext(config, Redactor(), refuse, {}, pytest.fail)
        async with make_subprocess_plugin(Found("embedders", "acme", "acme_hostile:Hostile", "acme"), site) as plugin:
            try:
                return await plugin.embed([do])  # type: ignore[attr-defined]
            except ProviderUnavailableError as error:
                return str(error)

    async def limited() -> object:
        async with asyncio.timeout(20):
            return await scenario()

    try:
        answer = asyncio.run(limited())
    finally:
        os.kill(int((tmp_path / "left").read_text()), 9)
    assert answer == ("acme: its process ended with status 4." if do == "leave" else Embedding([[1.0]]))


async def refuse(kind: str, name: str) -> object:
    raise AssertionError((kind, name))
