"""What a plugin's process sends is measured before it is made, and a program that it leaves cannot block OpenKoi."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Embedding, Model, Paths, Price, ProviderUnavailableError, Text
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext
from openkoi_loader.subprocess_plugin.messages import MAX_ERROR, ContractUnpickler, Functions, make_error, pack
from openkoi_loader.subprocess_plugin.plugin import make_subprocess_plugin
from openkoi_loader.subprocess_plugin.process import MAX_QUESTIONS, MAX_SECRETS, Call, PluginProcess
from openkoi_loader.subprocess_plugin.streams import Stream
from openkoi_settings import Config

PROTO = b"\x80\x05"
GREW = b"".join(b"h%ch%c\x86\x94" % (one, one) for one in range(60))
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


def load(data: bytes) -> Any:
    message = ContractUnpickler(data, lambda _: pytest.fail)
    message.load()
    return message.load()


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
        ["long" * 40_000, Path("a/b"), bytearray(b"xyz"), {"nested": [[[[{}]]]]}],
    ],
)
def test_values_arrive_as_they_were_sent(values: object) -> None:
    assert (values,) == load(pack(("answer", 1, values), Functions())[4:])


@pytest.mark.unit
@pytest.mark.parametrize(
    "pickled",
    [
        pytest.param(b"})" + b"\x85" * 1_000_000 + b"Ns.", id="a deep key"),
        pytest.param(b"]" * 50_000 + b"a" * 49_999 + b".", id="deep lists"),
        pytest.param(b")\x94" + GREW + b"}h\x3cNs.", id="a key that contains another twice, again and again"),
        pytest.param(b"]\x94h\x00a.", id="a list in itself"),
        pytest.param(b"]\x94h\x00\x85\x94h\x00h\x01a.", id="changed after it was used"),
        pytest.param(b"(" + b"]" * 2_000_000 + b"t.", id="many lists"),
        pytest.param(b"(" + b"N" * 20_000_000 + b"t.", id="many values"),
        pytest.param(b")2\x86.", id="an instruction of no message"),
        pytest.param(b"cos\nsystem\n.", id="a name in an old form"),
        pytest.param(b"\x86.", id="values that are missing"),
        pytest.param(b"t.", id="a mark that is missing"),
        pytest.param(b"h\x07.", id="a value that was not kept"),
        pytest.param(b"\x94.", id="nothing to keep"),
    ],
)
def test_a_pickle_that_would_block_or_end_the_process_is_refused(pickled: bytes) -> None:
    started = time.monotonic()

    with pytest.raises(UnpicklingError):
        load(PROTO + pickled)
    assert time.monotonic() - started < 10


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
        process.receive(pack(("hold", 1, secret, "$ACME"), None)[4:])

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
        question = pack(("ask", 1, 7, "search", ("koi",), {}), None)[4:]
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
