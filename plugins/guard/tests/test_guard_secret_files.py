"""Test files that contain keys only in some projects: a question is asked if one contains a key."""

import asyncio
from pathlib import Path

import pytest

from openkoi_guard import Guard
from openkoi_hookspecs import Arguments, Ask, Permission, Tool, ToolCall, ToolResult
from openkoi_testing import make_run

KEYS = {
    ".npmrc": "//registry.npmjs.org/:_authToken=npm_a1b2c3d4e5f6g7h8\n",
    "web/.yarnrc.yml": "npmAuthToken: a1b2c3d4e5f6g7h8\n",
    "auth.json": '{"http-basic": {"repo.example.com": {"username": "u", "password": "s3cr3t-s3cr3t"}}}',
}
SETTINGS = {
    ".npmrc": "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n",
    "web/.yarnrc.yml": "nodeLinker: node-modules\nnpmAuthToken: ${NPM_TOKEN-}\n",
    "auth.json": '{"http-basic": {}}',
}
READING = [
    "cat .npmrc",
    "grep -i token .npmrc",
    "base64 < .npmrc",
    "cd web && cat .yarnrc.yml",
    "for d in web; do (cd $d && head .yarnrc.yml); done",
    "jq . auth.json",
]


async def unused_tool(arguments: Arguments) -> ToolResult:
    return ToolResult("")


def ask_guard(workspace: Path, command: str) -> Permission | None:
    async def call_hook() -> Permission | None:
        async with make_run(workspace=workspace) as run:
            tool = Tool("run_command", "", {}, unused_tool)
            return Guard().before_tool(ToolCall("1", "run_command", {"command": command}), tool, run)

    return asyncio.run(call_hook())


def write_files(workspace: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("command", READING)
def test_a_file_of_the_project_that_holds_a_key_is_asked_about(tmp_path: Path, command: str) -> None:
    write_files(tmp_path, KEYS)

    assert isinstance(ask_guard(tmp_path, command), Ask)


@pytest.mark.parametrize("command", READING)
def test_a_file_of_the_project_that_names_a_variable_is_not(tmp_path: Path, command: str) -> None:
    write_files(tmp_path, SETTINGS)

    assert ask_guard(tmp_path, command) is None


@pytest.mark.parametrize("command", ["ls -l .npmrc", "git add .npmrc", "test -f auth.json"])
def test_a_command_that_does_not_read_such_a_file_is_not_asked_about(tmp_path: Path, command: str) -> None:
    write_files(tmp_path, KEYS)

    assert ask_guard(tmp_path, command) is None
