"""Ordinary work is not stopped, undone or asked about, in a repository with hooks, an editor's settings and CI."""

import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell
from planting_runs import SANDBOXES, call, command, configure, results, run
from test_planting_named import sh

from openkoi_hookspecs import ToolCall

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)

PROJECT = """
git init -q; git config user.name n; git config user.email e@x
mkdir -p src tests tools scripts docs .vscode .github/workflows .husky/_ hooks
echo 'x = 1' > src/app.py; echo 'def test_a(): pass' > tests/test_a.py; echo '{}' > .vscode/settings.json
echo 'on: push' > .github/workflows/ci.yml; echo '{"scripts": {"test": "true"}}' > package.json
printf 'build:\\n\\ttrue\\n' > Makefile; echo true > tools/free.sh; echo 'Read me' > README.md
echo '# Agents' > AGENTS.md
printf '#!/bin/sh\\nsh scripts/check.sh\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit
echo true > scripts/check.sh
ln -s docs/env.sh .envrc; echo 'export A=1' > docs/env.sh; printf 'build/\\n__pycache__/\\n.venv/\\n' > .gitignore
git config core.hooksPath .husky/_; git add -A; git commit -qm first
git checkout -qb side; echo 'y = 2' > src/more.py; echo 'x = 3' > src/app.py; git add -A; git commit -qm side
git checkout -q -
"""
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider tests"
TASKS: dict[str, list[ToolCall]] = {
    "edit and test": [
        call("write_file", path="src/app.py", content="x = 2\\n", overwrite=True),
        command(PYTEST),
    ],
    "commit": [command("echo 'x = 5' > src/app.py && git add -A && git commit -qm five && git log --oneline")],
    "branch and merge": [
        command("git checkout -qb own && echo a > a && git add a && git commit -qm a && git merge -q side -m m")
    ],
    "rebase and stash": [
        command("echo b >> README.md && git stash -q && git rebase -q side && git stash pop -q && git diff")
    ],
    "Makefile": [command("printf 'more:\\n\\ttrue\\n' >> Makefile && make -s build more")],
    "package.json": [command("sed -i 's/true/node a.js/' package.json && cat package.json")],
    "a script of the hook": [command("echo 'echo checked' >> scripts/check.sh && sh scripts/check.sh")],
    "a script of nobody": [call("write_file", path="tools/free.sh", content="echo free\\n", overwrite=True)],
    "move folders": [command("git mv src lib && mv tools more && git status --short")],
    "a virtual environment": [command("python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'")],
    "new files": [
        command("mkdir pkg && echo 'FROM x' > Dockerfile && echo 'import os' > conftest.py && touch pkg/__init__.py")
    ],
    "worktree and clone": [
        command(
            "git worktree add -q tree side && git -C tree log --oneline && git clone -q . copy && git -C copy status"
        )
    ],
    "instructions": [command("echo '- Be brief.' >> AGENTS.md && echo more >> docs/readme.md")],
    "a new repository": [
        command("git init -q new && cd new && echo a > a && git add a && git config user.name n && git commit -qm a")
    ],
}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line in such a repository."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    sh(openkoi.folder, PROJECT)
    return openkoi


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sandbox", SANDBOXES[:2])
@pytest.mark.parametrize("name", TASKS)
def test_ordinary_work_is_neither_stopped_nor_undone(openkoi: Shell, name: str, sandbox: str) -> None:
    configure(openkoi, sandbox, guard="ask")
    status, screen, log = run(openkoi, *TASKS[name])

    codes = [one.get("exit_code", 0) for one in log if one["type"] == "tool_result"]
    assert (0, [0] * len(TASKS[name])) == (status, codes), results(log)
    assert [] == [one for one in log if one["type"] == "sandbox.protected"], screen
    assert len([line for line in screen.splitlines() if "Used by tools" in line]) <= 1
