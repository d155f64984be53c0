"""Run a scripted model that calls tools, through the command line, in each sandbox."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cli_process import Shell, logged_records

from openkoi_hookspecs import Json, ToolCall
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL
from openkoi_testing.servers import OpenAIServer, Say

CI = ".github/workflows/ci.yml"
SANDBOXES = [
    pytest.param(
        "bubblewrap", marks=pytest.mark.skipif(bool(BUBBLEWRAP_LEVEL.missing()), reason=BUBBLEWRAP_LEVEL.missing())
    ),
    pytest.param("landlock", marks=pytest.mark.skipif(bool(LANDLOCK_LEVEL.missing()), reason=LANDLOCK_LEVEL.missing())),
    pytest.param("limits", marks=pytest.mark.campaign),
    pytest.param("plain", marks=pytest.mark.campaign),
]


def command(line: str) -> ToolCall:
    return call("run_command", command=line)


def call(tool: str, **arguments: Json) -> ToolCall:
    return ToolCall("", tool, arguments)


def configure(openkoi: Shell, sandbox: str = "", more: str = "", *, guard: str = "off") -> None:
    """Choose a sandbox; the guard is off if only the sandbox is tested."""
    chosen = f'[use]\nsandbox = "{sandbox}"\n' if sandbox else ""
    (openkoi.home / "config.toml").write_text(f'{chosen}[hooks.guard]\nmode = "{guard}"\n{more}')


def run(openkoi: Shell, *calls: ToolCall, env: dict[str, str] | None = None) -> tuple[int, str, list[dict[str, Any]]]:
    """Let a model make these calls, one per turn; return the exit status, the output, and the log's records."""
    with server(*calls) as models:
        result = openkoi.with_environment(**models, **(env or {}))(
            "Tidy up", "-m", "openai/gpt-fake", "-i", "0", seconds=110
        )
    return result.returncode, result.stderr, records(openkoi)


@contextmanager
def server(*calls: ToolCall) -> Iterator[dict[str, str]]:
    """Return the command line for a model that makes these calls, one per turn."""
    turns = [Say([ToolCall(f"call_{n}", one.tool, one.arguments)]) for n, one in enumerate(calls)]
    with OpenAIServer(*turns, "Done.") as there:
        yield {"OPENAI_API_KEY": "sk-not-a-real-key", "OPENAI_BASE_URL": there.url}


def records(openkoi: Shell) -> list[dict[str, Any]]:
    lines = logged_records(openkoi.home / "data/sessions")
    return [{**line.get("data", {}), "type": line["type"]} for line in lines]


def results(log: list[dict[str, Any]]) -> str:
    """Return the results that the model got for its calls."""
    return "\n".join(json.dumps(one) for one in log if one["type"] == "tool_result")
