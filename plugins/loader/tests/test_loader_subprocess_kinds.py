"""Any kind of plugin whose protocol can be forwarded as values runs in a process of its own."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import (
    AppRejectedError,
    ExecutionResult,
    Message,
    Paths,
    Plan,
    PluginNotFoundError,
    ProviderError,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    StopReason,
    StreamEnd,
    SupportsDescribe,
    SupportsHealthCheck,
    SupportsMedia,
    Text,
    Tool,
    ToolResult,
    Usage,
    events,
)
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext
from openkoi_loader.subprocess_plugin.members import Form, members_of
from openkoi_loader.subprocess_plugin.messages import describe_error, make_error
from openkoi_loader.subprocess_plugin.plugin import make_subprocess_plugin
from openkoi_settings import Config, Setting
from openkoi_testing import make_run

PLUGIN = """\
import asyncio, os, subprocess, sys
from typing import Annotated
from openkoi_hookspecs import *
from openkoi_hookspecs import events

class VendorBusyError(ProviderUnavailableError):
    pass

class Provider:
    def __init__(self, *, api_key: Annotated[str, Env("ACME_KEY", secret=True)] = ""):
        self.key, self.media_types, self.closed = api_key, ("image/png",), 0

    async def models(self):
        return [Model(str(os.getpid()), context=1_000, output=100)]

    async def health(self):
        return {"key": self.key, "closed": str(self.closed), "variables": " ".join(sorted(os.environ))}

    async def chat(self, request):
        words = request.messages[-1].parts[0].text.split()
        try:
            for word in words:
                await self.obey(word)
                yield Text(word)
            yield StreamEnd(Usage(output=len(words)))
        finally:
            self.closed += 1

    async def obey(self, word):
        if word == "busy":
            raise VendorBusyError("busy", retry_after=7.5, uncertain=True)
        if word == "overflow":
            raise RequestRejectedError("too long", context_overflow=True)
        if word == "raise":
            raise RuntimeError("boom")
        if word == "wait":
            await asyncio.sleep(3600)
        if word == "hang":
            while True: pass
        if word == "flood":
            while True:
                sys.stdout.write("x" * 100_000)
                sys.stderr.write("y" * 100 + chr(10))
        if word == "media":
            self.media_types = ("application/pdf",)
        if word == "orphan":
            print(subprocess.Popen(["sleep", "3600"]).pid, file=open(os.environ["HOME"] + "/orphan", "w"))
            os._exit(3)
        if word == "foreign":
            raise ProviderError(self)

async def endless():
    while True:
        yield Text("x")

class Worker:
    async def run(self, plan, run):
        notes = await run.search(Query("koi"))
        await run.emit(events.WarningIssued(f"{len(plan.steps)} steps"))
        text = f"{run.task.text} in {os.getpid()}, {len(notes)} notes"
        return ExecutionResult(text, ended=StopReason.TIME, limit="t")

class Endless(Provider):
    def chat(self, request):
        return endless()
"""


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_models.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OTHER_TOKEN", "not for it")
    monkeypatch.setenv("https_proxy", "http://proxy.acme:8080")


async def refuse(kind: str, name: str) -> object:
    raise PluginNotFoundError(kind, name)


@asynccontextmanager
async def started(tmp_path: Path, target: str = "Provider", kind: str = "providers") -> AsyncIterator[Any]:
    keys = {"acme": Setting("sk-found-0123456789abcdef", "another program"), "other": Setting("sk-other", "elsewhere")}
    config = Config({}, Paths(tmp_path, tmp_path), tmp_path, environment={"OTHER_TOKEN": "not for it"})
    found = Found(kind, "acme", f"acme_models:{target}", "acme")
    async with make_subprocess_plugin(found, BuildContext(config, Redactor(), refuse, keys, pytest.fail)) as plugin:
        yield plugin


def request(words: str, tools: Sequence[Tool] = ()) -> Request:
    return Request([Message.user(words)], model="any", tools=tools)


async def read(provider: Any, words: str) -> list[object]:
    return [chunk async for chunk in provider.chat(request(words))]


async def pid_of(provider: Any) -> int:
    return int((await provider.models())[0].name)


def test_a_provider_streams_its_answer_from_its_process(tmp_path: Path) -> None:
    async def scenario() -> tuple[list[object], int]:
        async with started(tmp_path) as provider:
            assert isinstance(provider, SupportsMedia)
            assert isinstance(provider, SupportsHealthCheck)
            assert not isinstance(provider, SupportsDescribe)
            return await read(provider, "a b"), await pid_of(provider)

    chunks, pid = asyncio.run(scenario())
    assert [Text("a"), Text("b"), StreamEnd(Usage(output=2))] == chunks
    assert pid != os.getpid()


def test_chunks_arrive_before_the_answer_ends(tmp_path: Path) -> None:
    async def scenario() -> list[object]:
        async with started(tmp_path) as provider:
            answer = provider.chat(request("a b wait c"))
            early = [await anext(answer), await anext(answer)]
            await answer.aclose()
            return [*early, (await provider.health())["closed"]]

    assert [Text("a"), Text("b"), "1"] == asyncio.run(scenario())


def test_an_endless_answer_waits_until_it_is_taken(tmp_path: Path) -> None:
    async def scenario() -> list[object]:
        async with started(tmp_path, "Endless") as provider:
            answer = provider.chat(request("go"))
            chunks = [await anext(answer) for _ in range(1_000)]
            await answer.aclose()
            return [len(chunks), len(provider.process.calls)]

    assert [1_000, 0] == asyncio.run(scenario())


def test_two_answers_stream_at_the_same_time(tmp_path: Path) -> None:
    async def scenario() -> list[object]:
        async with started(tmp_path) as provider:
            waiting = asyncio.create_task(read(provider, "wait"))
            first = await asyncio.gather(read(provider, "a"), read(provider, "b"))
            waiting.cancel()
            return [chunks[0] for chunks in first]

    assert [Text("a"), Text("b")] == asyncio.run(scenario())


def test_a_tool_of_a_request_is_sent_as_its_description(tmp_path: Path) -> None:
    async def call(_: object) -> ToolResult:
        return ToolResult("")

    async def scenario() -> list[object]:
        async with started(tmp_path) as provider:
            tools = [Tool("look", "Look.", {}, call)]
            return [chunk async for chunk in provider.chat(request("a", tools))]

    assert [Text("a"), StreamEnd(Usage(output=1))] == asyncio.run(scenario())


@pytest.mark.parametrize(
    ("word", "kind", "attributes"),
    [
        ("busy", ProviderUnavailableError, {"retry_after": 7.5, "uncertain": True}),
        ("overflow", RequestRejectedError, {"context_overflow": True}),
        ("foreign", ProviderError, {}),
    ],
)
def test_an_error_of_the_contract_arrives_with_what_it_says(
    word: str, kind: type[Exception], attributes: dict[str, object], tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as provider:
            await read(provider, f"a {word}")

    with pytest.raises(kind) as error:
        asyncio.run(scenario())
    assert type(error.value) is kind
    assert attributes == {name: getattr(error.value, name) for name in attributes}


def test_any_other_error_is_not_one_of_openkoi(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as provider:
            await read(provider, "a raise")

    with pytest.raises(Exception, match="boom") as error:
        asyncio.run(scenario())
    assert "RuntimeError" == type(error.value).__name__
    assert not isinstance(error.value, ProviderError)


def test_a_process_killed_in_the_middle_of_an_answer_costs_that_answer(tmp_path: Path) -> None:
    async def scenario() -> tuple[str, list[object]]:
        async with started(tmp_path) as provider:
            answer = provider.chat(request("a wait"))
            await anext(answer)
            os.kill(await pid_of(provider), signal.SIGKILL)
            with pytest.raises(ProviderUnavailableError) as error:
                await anext(answer)
            return str(error.value), await read(provider, "again")

    text, again = asyncio.run(scenario())
    assert "acme: its process was killed by SIGKILL." == text
    assert Text("again") == again[0]


@pytest.mark.parametrize("word", ["wait", "hang", "flood"])
def test_an_answer_that_does_not_come_is_cut_off(word: str, tmp_path: Path) -> None:
    async def scenario() -> tuple[bool, list[object]]:
        async with started(tmp_path) as provider:
            before = await pid_of(provider)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(read(provider, word), 0.3)
            return before == await pid_of(provider), await read(provider, "again")

    same_process, again = asyncio.run(scenario())
    assert (word == "wait") is same_process
    assert Text("again") == again[0]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_programs_that_it_started_end_with_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as provider:
            with pytest.raises(ProviderUnavailableError, match="ended with status 3"):
                await read(provider, "orphan")

    asyncio.run(scenario())
    pid = int((tmp_path / "orphan").read_text())
    until = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_an_attribute_that_changes_is_seen_after_the_answer(tmp_path: Path) -> None:
    async def scenario() -> list[object]:
        async with started(tmp_path) as provider:
            before = provider.media_types
            await read(provider, "media")
            return [before, provider.media_types]

    assert [("image/png",), ("application/pdf",)] == asyncio.run(scenario())


def test_a_worker_does_a_task_with_the_methods_of_its_run(tmp_path: Path) -> None:
    async def scenario() -> tuple[ExecutionResult, list[str]]:
        async with started(tmp_path, "Worker", "workers") as worker, make_run(tmp_path, task="Feed the koi") as run:
            done = await worker.run(Plan(steps=("one", "two")), run)
            logged = [one.event for one in run.koi.records(run.task.session)]
            return done, [one.text for one in logged if isinstance(one, events.WarningIssued)]

    done, warnings = asyncio.run(scenario())
    assert done.text.startswith("Feed the koi in ")
    assert str(os.getpid()) not in done.text
    assert (StopReason.TIME, "t") == (done.ended, done.limit)
    assert "2 steps" in warnings


def test_it_gets_its_own_key_and_only_variables_that_it_needs(tmp_path: Path) -> None:
    async def scenario() -> dict[str, str]:
        async with started(tmp_path) as provider:
            facts: dict[str, str] = await provider.health()
            return facts

    health = asyncio.run(scenario())
    assert "sk-found-0123456789abcdef" == health["key"]
    assert "https_proxy" in health["variables"].split()
    assert "OTHER_TOKEN" not in health["variables"]


def test_what_of_a_protocol_is_forwarded_is_read_from_it() -> None:
    assert {"models": Form.CALL, "chat": Form.STREAM, "media_types": Form.VALUE, "describe": Form.CALL} == {
        name: member.form for name, member in members_of("providers").items() if name != "health"
    }


@pytest.mark.parametrize("error", [AppRejectedError("no", unreadable_format=True), ProviderUnavailableError("later")])
def test_an_error_keeps_its_attributes(error: Exception) -> None:
    made = make_error(*describe_error(error))

    assert (type(error), vars(error), str(error)) == (type(made), vars(made), str(made))
