"""Test generated folders: no question if git ignores them, a question if they contain anything of value."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from openkoi_guard import Guard
from openkoi_guard.generated_files import load_names
from openkoi_hookspecs import Arguments, Ask, Permission, Tool, ToolCall, ToolResult
from openkoi_testing import make_run

FILES = {
    ".gitignore": "build/\ndist/\nnode_modules\n__pycache__/\n.next\n*.egg-info\n.coverage\ncoverage.xml\n",
    ".coverage": "x",
    "coverage.json": "x",
    "build/made": "x",
    "node_modules/a/package.json": "{}",
    "src/__pycache__/m.pyc": "x",
    "src/m.py": "x",
    "pkg.egg-info/PKG-INFO": "x",
    ".venv/.gitignore": "*",
    ".venv/bin/python": "x",
    "out/of/mine": "x",
    "target/notes": "x",
    "vendor/dist/kept": "x",
    "sub/build/made": "x",
    "kept/deep/dist/mine": "x",
}


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with folders that are ignored, tracked, neither, or reached by a link."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "vendor/dist/kept", "src/m.py", "kept/deep/dist/mine")
    if os.name == "posix":
        (tmp_path / ".next").symlink_to("src")
        (tmp_path / "sub" / "linked").symlink_to("../src")
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def asked(workspace: Path, command: str) -> Permission | None:
    async def judged() -> Permission | None:
        async with make_run(workspace=workspace) as run:
            tool = Tool("run_command", "", {}, nothing)
            return Guard().before_tool(ToolCall("1", "run_command", {"command": command}), tool, run)

    return asyncio.run(judged())


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "rm -rf build dist node_modules __pycache__ target2/build .venv",
        "rm -r -f ./build/",
        "rm -rf -- build dist",
        "rm -rf src/__pycache__ pkg.egg-info",
        "rm -rf node_modules && npm ci",
        "rm -rf build && mkdir build && cd build && cmake ..",
        "cd sub && rm -rf build",
        "echo cleaning; rm -rf build dist; echo done",
        "rimraf dist",
        "npx rimraf dist build",
        "rm -f .coverage coverage.xml",
        "find . -name __pycache__ -type d -prune -exec rm -rf {} +",
        "find . -type d -name __pycache__ -print0 | xargs -0 rm -rf",
        "find . -type d '(' -name __pycache__ -o -name .ruff_cache ')' -exec rm -rf {} +",
        "find ./ -name '*.pyc' -delete",
        "rm -rf build/* dist/*",
        "rm -rf ./node_modules/.cache",
        "rm -rf {build,dist} src/{__pycache__,.mypy_cache}",
        "rm -rf *.egg-info",
        "rm -rf */build */*.egg-info **/__pycache__",
        "find . -name build -exec rm -rf {} +",
        "cd sub && find . -name __pycache__ -delete",
        "find src build -name '*.pyc' -delete",
        "find . -path ./vendor -prune -o -name '*.pyc' -delete",
        "ls -d */__pycache__ | xargs rm -rf",
        'D=build && rm -rf "$D"',
        "for d in build dist; do rm -rf $d; done",
        'rm -rf $(pwd)/build "$PWD/dist"',
        "rm -rf node_modules package-lock.json",
        "sh -c 'rm -rf dist && tsc'",
        "if [ -d build ]; then rm -rf build; fi",
        "rm -f src/__pycache__/m.pyc build/made",
        "for d in api web sub; do (cd $d && rm -rf build && make -q); done",
        'for d in api web; do (cd "services/$d" && rm -rf node_modules && npm ci); done',
        'for d in s*/; do (cd "$d" && rm -rf build); done',
        "cd services && for d in a b; do pushd $d; rm -rf dist; popd; done",
    ],
)
def test_what_git_ignores_is_not_asked_about(repository: Path, command: str) -> None:
    assert asked(repository, command) is None


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf out",  # neither tracked nor ignored
        "rm -rf target",
        "rm -rf vendor/dist",  # tracked
        "rm -rf build src",
        "rm -rf .next",  # a link
        "rm -rf .next/__pycache__",
        "rm -rf build/../src",
        "rm -rf ../build",
        "cd .. && rm -rf build",
        "cd $X && rm -rf build",
        "rm -rf $X/build",
        "rm -rf vendor/dist/*",
        "rm -rf {build,src}",
        "rm -rf build/{..,made}/src",
        "rm -rf build/../{src,build}",
        "rm -rf *",
        "rm -rf *.py",
        "rm -rf .next/*",
        "rm -rf build/*/../../src",
        "mv src build/made; rm -rf build/made",
        "rm -rf '{build,dist}'",
        "mv src build && rm -rf build",
        "cp -r src/m.py build/; rm -rf build",
        "git mv src dist; rm -rf dist",
        "for i in 1 2; do rm -rf build; mv src build; done",
        "f() { rm -rf build; }; mv src build; f",
        "rm -rf build & mv src build",
        "trap 'rm -rf build' EXIT; mv src build",
        "sudo rm -rf build",
        "ssh host rm -rf build",
        "docker exec app rm -rf build",
        "rm -rf build && git push --force",
        "rm -f coverage.json",  # neither tracked nor ignored
        "rm -f .coverage src/m.py",
        "find . -name .x -delete",
        "find . -name '*.py' -delete",
        "find .. -name __pycache__ -exec rm -rf {} +",
        "find -L . -name __pycache__ -exec rm -rf {} +",
        "find . -name __pycache__ -o -delete",
        "find . -name __pycache__ -delete -o -delete",
        "find . -name __pycache__ -o -type f -exec rm -rf {} +",
        "find . -not -name __pycache__ -delete",
        "find . -name __pycache__ -exec rm -rf {} src +",
        "find . -name __pycache__ -exec rm -rf {}/.. ';'",
        "find . -name __pycache__ -exec cp -r src {} ';' -exec rm -rf {} +",
        "find . -name __pycache__ | cat - list | xargs rm -rf",
        "ssh host find . -name __pycache__ -delete",
        "rm -rf */linked/__pycache__",
        "rm -rf dis? src",
        "D=src; rm -rf $D",
        "D=build; D=src; rm -rf $D",
        "for d in build src; do rm -rf $d; done",
        "for d in build; do mv src $d; rm -rf $d; done",
        "read D; rm -rf $D",
        "rm -f package-lock.json",
        "find src -name '*.py' -delete",
        "find . -path ./src -prune -o -name '*.pyc' | xargs rm",
        "find ../x -name __pycache__ -delete",
        "ls -d */src | xargs rm -rf",
        "ls | xargs rm -rf",
        "sh -c 'rm -rf src'",
        "cd kept && cd deep && rm -rf dist",  # tracked, below both
        "for d in api kept/deep; do (cd $d && rm -rf dist); done",
        'for d in k*/; do (cd "$d/deep" && rm -rf dist); done',
        'for d in $(ls); do (cd "$d" && rm -rf build); done',
        "for d in sub; do d=kept/deep; (cd $d && rm -rf dist); done",
    ],
)
def test_all_else_is_asked_about(repository: Path, command: str) -> None:
    assert isinstance(asked(repository, command), Ask)


def test_a_search_that_would_delete_a_branch_is_asked_about(repository: Path) -> None:
    git(repository, "-c", "user.name=n", "-c", "user.email=a@b", "commit", "-qm", "first")
    git(repository, "branch", "build")

    assert isinstance(asked(repository, "find . -name build -exec rm -rf {} +"), Ask)


def test_outside_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()

    assert isinstance(asked(tmp_path, "rm -rf build"), Ask)


def test_a_file_in_an_ignored_folder_that_was_added_is_asked_about(repository: Path) -> None:
    git(repository, "add", "-f", "build/made")

    assert isinstance(asked(repository, "rm -rf build"), Ask)


def test_of_a_set_that_was_written_blind_98_of_100_ask_and_1_in_vain(
    tmp_path: Path, blind: tuple[list[str], list[str]]
) -> None:
    (tmp_path / ".gitignore").write_text("\n".join([*load_names("folder"), *load_names("file")]) + "\n")
    git(tmp_path, "init", "-q")

    async def alarms(commands: list[str]) -> list[str]:
        tool, guard = Tool("run_command", "", {}, nothing), Guard()
        async with make_run(workspace=tmp_path) as run:
            calls = [ToolCall("1", "run_command", {"command": command}) for command in commands]
            return [str(call.arguments["command"]) for call in calls if guard.before_tool(call, tool, run)]

    dangerous, harmless = blind
    found, vain = (asyncio.run(alarms(some)) for some in (dangerous, harmless))

    assert len(found) >= 0.98 * len(dangerous), set(dangerous) - set(found)
    assert len(vain) <= 0.01 * len(harmless), vain
