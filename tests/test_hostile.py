"""Test that hostile plugins each lead to a warning with their name, and never break the run."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hostile_distributions import install_all

from openkoi.app import App
from openkoi.open_app import build_app
from openkoi_hookspecs import (
    Arguments,
    Effect,
    Paths,
    Record,
    Result,
    Run,
    Task,
    Tool,
    ToolCall,
    ToolResult,
    events,
    hookimpl,
)
from openkoi_loader.plugin_discovery import scan
from openkoi_settings import Config, Setting
from openkoi_testing import Line, Scenario, Scripted, run_scenario


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder of hostile distributions on the path."""
    folder = tmp_path / "site"
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.startswith("hostile_")]:
        del sys.modules[name]


class Reader:
    """A tool provider with a tool that reads."""

    def __init__(self) -> None:
        self.paths: list[object] = []

    async def tools(self, run: Run) -> list[Tool]:
        """Return the tool."""

        async def read(arguments: Arguments) -> ToolResult:
            self.paths.append(arguments["path"])
            return ToolResult("text")

        return [Tool("read", "Read a file.", {"type": "object"}, read, effect=Effect.READS)]


def house(site: Path, home: Path, reader: Reader, model: Scripted) -> App:
    settings = {
        "models.default": Setting("scripted/script", "the test"),
        "models.known.scripted/script.price": Setting([0, 0], "the test"),
        "hooks.deadline_seconds": Setting(1.0, "the test"),
    }
    config = Config(settings, Paths(home / "config.toml", home / "data"), home, environment=dict(os.environ))
    return build_app(config, scan([str(site)]), {"providers": {"scripted": model}, "tools": {"reader": reader}})


async def done(koi: App) -> tuple[Result, list[Record]]:
    async with koi:
        result = await koi.solve(Task("Read a.txt"))
        return result, list(koi.records(koi.session))


def test_thirty_hostile_distributions_cost_a_named_warning_each(site: Path, tmp_path: Path) -> None:
    named = install_all(site)
    reader, model = Reader(), Scripted([ToolCall("1", "read", {"path": "a.txt"}), "done"])

    result, records = asyncio.run(done(house(site, tmp_path, reader, model)))

    warnings = [record.event.text for record in records if isinstance(record.event, events.WarningIssued)]
    assert 28 <= len(named)
    assert result.accepted
    assert "done" == result.text
    assert ["a.txt"] == reader.paths
    assert ("good", "zz-good") in [(one.name, one.source) for one in result.iterations[0].plan.sections]
    assert dict.fromkeys(named, 1) == {
        name: sum(f"'{name}'" in text or text.startswith(f"{name}:") for text in warnings) for name in named
    }, "\n".join(warnings)


def stage(*hooks: Any) -> tuple[Scenario, Reader]:
    reader = Reader()
    plugin = SimpleNamespace(**{hook.__name__: hookimpl(hook) for hook in hooks})
    says: list[Line] = [ToolCall("1", "read", {"path": "a.txt"}), "done"]
    return Scenario(
        says=says, plugins={"guard": plugin}, tool_providers={"reader": reader}, installed=frozenset()
    ), reader


def test_a_guard_that_crashes_denies() -> None:
    def before_tool(call: ToolCall) -> None:
        raise RuntimeError("out of order")

    theatre, reader = stage(before_tool)

    result = run_scenario(Task("Read a.txt"), theatre).result

    assert [] == reader.paths
    assert "escalate" == result.decision.action


def test_a_guard_that_crashes_is_never_switched_off() -> None:
    calls: list[str] = []

    def before_tool(call: ToolCall) -> None:
        calls.append(call.id)
        raise RuntimeError("out of order")

    theatre, reader = stage(before_tool)
    many: list[Line] = [[ToolCall(str(n), "read", {"path": f"{n}.txt"}) for n in range(6)], "done"]

    run_scenario(
        Task("Read"),
        Scenario(says=many, plugins=theatre.plugins, tool_providers=theatre.tool_providers, installed=frozenset()),
    )

    assert 6 == len(calls)
    assert [] == reader.paths


def test_three_faults_switch_a_hook_off_for_the_session() -> None:
    calls: list[str] = []

    def after_tool(result: ToolResult) -> None:
        calls.append(result.call)
        raise RuntimeError("boom")

    theatre, reader = stage(after_tool)
    many: list[Line] = [[ToolCall(str(n), "read", {"path": f"{n}.txt"}) for n in range(6)], "done"]

    run = run_scenario(
        Task("Read"),
        Scenario(says=many, plugins=theatre.plugins, tool_providers=theatre.tool_providers, installed=frozenset()),
    )

    reply = [record.event.text for record in run.records if isinstance(record.event, events.WarningIssued)]
    warnings = [text for text in reply if text.startswith("Plugin")]
    assert 3 == len(calls)
    assert 6 == len(reader.paths)
    assert ["Plugin 'guard' failed at after_tool: RuntimeError: boom (3 failures disable it)"] == warnings
