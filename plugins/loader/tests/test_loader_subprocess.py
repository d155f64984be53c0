"""A plugin in a process of its own works like any other, and can do nothing to the process of OpenKoi."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import (
    Allow,
    Effect,
    ExecutionResult,
    KoiError,
    LimitExceededError,
    Paths,
    PluginNotFoundError,
    Run,
    Task,
    ToolCall,
    events,
    hooks,
)
from openkoi_loader.hooks import HookCaller, Hooks
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugin_factory import BuildContext
from openkoi_loader.subprocess_plugin.plugin import make_subprocess_plugin
from openkoi_settings import Config, Setting
from openkoi_testing import make_run

NOTHING: Any = None
PLUGIN = """\
import asyncio, os, sys
from typing import Annotated
from openkoi_hookspecs import *
from openkoi_hookspecs import events

print("a plugin that prints when it is imported")
CALLS = []

@hookimpl
def before_plan(task, run):
    print("and when it is called")
    return [Section("place", f"{task.text} in {run.workspace.name}, process {os.getpid()}, HOME {len(os.environ)}")]

@hookimpl(trylast=True)
async def before_tool(call, tool, run):
    kind = call.arguments.get("do")
    if kind == "loop":
        while True: pass
    if kind == "wait":
        await asyncio.sleep(60)
    if kind == "exit":
        os._exit(3)
    if kind == "raise":
        raise RuntimeError("boom")
    if kind == "limit":
        raise LimitExceededError("tokens")
    if kind == "unknown":
        run.fold
    if kind == "long":
        raise RuntimeError("x" * 70_000_000)
    if kind == "foreign":
        class Evil:
            def __reduce__(self): return (os.system, ("touch stolen",))
        return Evil()
    if kind == "tool":
        await tool.call({})
    if kind == "run":
        await run.emit(events.WarningIssued("from the other process"))
        result = await run.call(ToolCall("", "nothing", {}))
        return Deny(result.text)
    return Allow()

class Judge:
    judges = True
    def __init__(self, *, word: str, key: Annotated[str, Env("ACME_KEY", secret=True)] = ""):
        self.word, self.key = word, key
    async def evaluate(self, work, run):
        return Evaluation(checks=(Check(self.word, self.word in work.text, file=self.key),))

class Tools:
    async def __aenter__(self):
        self.entered = True
        return self
    async def __aexit__(self, *error):
        open(os.path.join(os.environ["HOME"], "left"), "w").close()
    async def tools(self, run):
        async def shout(arguments):
            return ToolResult(arguments["text"].upper())
        return [Tool("shout", "Shout.", {"type": "object"}, shout, effect=Effect.READS)]

class Needy:
    def __init__(self, *, memory: Annotated[object, Inject("memory", "duckdb")]): pass

def broken():
    raise ValueError("not today")
"""


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_style.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OTHER_TOKEN", "not for it")


def context(tmp_path: Path, **settings: object) -> BuildContext:
    """Return what plugins are made of, with settings for the evaluator ``acme``."""
    environment = {"ACME_KEY": "sk-acme-0123456789abcdef", "OTHER_TOKEN": "not for it"}
    own = {f"evaluators.acme.{name}": Setting(value, "config.toml") for name, value in settings.items()}
    config = Config(own, Paths(tmp_path, tmp_path), tmp_path, environment=environment)
    return BuildContext(config, Redactor(), refuse, {}, pytest.fail)


async def refuse(kind: str, name: str) -> object:
    raise PluginNotFoundError(kind, name)


@asynccontextmanager
async def started(tmp_path: Path, kind: str, target: str = "", **settings: object) -> AsyncIterator[Any]:
    found = Found(kind, "acme", f"acme_style{target}", "acme")
    async with make_subprocess_plugin(found, context(tmp_path, **settings)) as plugin:
        yield plugin


def hooks_of(plugin: object, reported: list[str], timeout: float = 5.0) -> Hooks:
    registered = Hooks(reported.append, timeout=timeout)
    assert not registered.register({"acme": plugin})

    async def ignore(_: object) -> None:
        pass

    return registered.called_by(HookCaller(ignore, lambda: timeout, reported.append))


async def permission(plugin: object, run: Run, do: str, reported: list[str], limit: float = 5.0) -> list[object]:
    call = ToolCall("1", "shell", {"do": do})
    answers = await hooks_of(plugin, reported, limit).collect(hooks.before_tool, call=call, tool=NOTHING, run=run)
    return [answer for _, answer in answers]


def test_hooks_get_facts_and_return_facts(tmp_path: Path) -> None:
    async def scenario() -> tuple[Any, list[object]]:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            called = hooks_of(plugin, [])
            sections = await called.collect(hooks.before_plan, task=Task("Paint"), recall=NOTHING, run=run)
            return sections, await permission(plugin, run, "nothing", [])

    [(name, [section])], allowed = asyncio.run(scenario())
    assert ("acme", "place") == (name, section.name)
    assert section.text.startswith(f"Paint in {tmp_path.name}, process ")
    assert str(os.getpid()) not in section.text
    assert [Allow()] == allowed


def test_a_module_of_the_project_does_not_run_in_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("asyncio", "json", "openkoi_hookspecs"):
        (project / f"{name}.py").write_text("raise SystemExit('this is the project')\n")
    monkeypatch.chdir(project)

    async def scenario() -> list[object]:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            return await permission(plugin, run, "nothing", [])

    assert [Allow()] == asyncio.run(scenario())


def test_an_evaluator_has_its_attributes_settings_and_own_variables(tmp_path: Path) -> None:
    async def scenario() -> tuple[bool, Any]:
        async with started(tmp_path, "evaluators", ":Judge", word="koi") as plugin, make_run(tmp_path) as run:
            return plugin.judges, await plugin.evaluate(ExecutionResult("a koi"), run)

    judges, evaluation = asyncio.run(scenario())
    assert judges
    assert [("koi", True, "sk-acme-0123456789abcdef")] == [
        (one.name, one.passed, one.file) for one in evaluation.checks
    ]


def test_tools_are_called_there_and_the_plugin_is_left_at_the_end(tmp_path: Path) -> None:
    async def scenario() -> Any:
        async with started(tmp_path, "tools", ":Tools") as plugin, make_run(tmp_path) as run:
            [tool] = await plugin.tools(run)
            return tool.effect, await tool.call({"text": "koi"})

    effect, result = asyncio.run(scenario())
    assert (Effect.READS, "KOI") == (effect, result.text)
    assert (tmp_path / "left").exists()


def test_methods_of_a_run_are_carried_out_here(tmp_path: Path) -> None:
    async def scenario() -> tuple[list[object], list[str]]:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            answers = await permission(plugin, run, "run", [])
            logged = [one.event for one in run.koi.records(run.task.session)]
            return answers, [one.text for one in logged if isinstance(one, events.WarningIssued)]

    [answer], warnings = asyncio.run(scenario())
    assert "nothing" in getattr(answer, "reason", "")
    assert "from the other process" in warnings


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        ("loop", "did not answer within 0.5 s"),
        ("wait", "did not answer within 0.5 s"),
        ("exit", "its process ended with status 3"),
        ("raise", "RuntimeError: boom"),
        ("unknown", "run.fold is not available to a plugin in a separate process"),
        ("foreign", "Evil is neither a fact of the contract nor a plain value"),
        ("long", "is too long"),
        ("tool", "cannot be sent"),
    ],
)
def test_what_it_does_wrong_is_reported_and_it_works_again(do: str, reason: str, tmp_path: Path) -> None:
    reported: list[str] = []

    async def scenario() -> list[object]:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            await permission(plugin, run, do, reported, limit=0.5 if do in ("loop", "wait") else 30)
            return await permission(plugin, run, "nothing", reported)

    allowed = asyncio.run(scenario())
    assert not (tmp_path / "stolen").exists()
    assert [Allow()] == allowed
    if do != "tool":
        assert reason in "\n".join(reported)


def test_an_error_of_the_contract_keeps_its_class(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            with pytest.raises(LimitExceededError):
                await plugin.before_tool(call=ToolCall("1", "shell", {"do": "limit"}), tool=None, run=run)

    asyncio.run(scenario())


def test_a_process_that_ends_again_and_again_is_started_after_a_delay(tmp_path: Path) -> None:
    async def scenario() -> str:
        async with started(tmp_path, "hooks") as plugin, make_run(tmp_path) as run:
            facts = {"call": ToolCall("1", "shell", {"do": "exit"}), "tool": None, "run": run}
            plugin.process.delay.failures = 3
            with pytest.raises(KoiError, match="status 3"):
                await plugin.before_tool(**facts)
            with pytest.raises(KoiError) as error:
                await plugin.before_tool(**facts)
            return str(error.value)

    assert "its process failed 4 times in a row and restarts in 2 s." == asyncio.run(scenario())


@pytest.mark.parametrize(
    ("kind", "target", "reason"),
    [
        ("evaluators", ":Needy", "memory"),
        ("evaluators", ":broken", "not today"),
        ("evaluators", ":Nothing", "Nothing"),
        ("sandboxes", "", "not supported for acme, because it starts the task's commands"),
    ],
)
def test_what_cannot_be_made_there_is_said(kind: str, target: str, reason: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path, kind, target):
            pass

    with pytest.raises(KoiError, match=reason):
        asyncio.run(scenario())
