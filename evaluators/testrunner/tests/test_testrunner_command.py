"""Test the test command in the prompt, as found by a quick look at the project's top folder."""

import asyncio
from pathlib import Path

import pytest

from openkoi_hookspecs import Recall, Task, hooks
from openkoi_testing import Scenario, make_run
from openkoi_testrunner.command_hook import test_commands as commands

PROJECTS = {
    "pytest by its settings": ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python -m pytest"),
    "pytest by its tests": ({"tests/test_a.py": "def test_a():\n    assert True\n"}, "python -m pytest"),
    "unittest": (
        {"tests/test_a.py": "from unittest import TestCase\n\n\nclass A(TestCase): ...\n"},
        "python -m unittest discover -s tests",
    ),
    "cargo": ({"Cargo.toml": "[package]\n"}, "cargo test"),
    "go": ({"go.mod": "module a\n"}, "go test ./..."),
    "npm": ({"package.json": '{"scripts": {"test": "vitest"}}'}, "npm test"),
    "make": ({"Makefile": "test:\n\ttrue\n"}, "make test"),
    "just": ({"justfile": "check:\n  true\n"}, "just check"),
}


def project(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("name", PROJECTS)
def test_the_command_is_that_of_the_projects_files(tmp_path: Path, name: str) -> None:
    files, command = PROJECTS[name]

    (found,) = commands(project(tmp_path, files), "")

    assert found == command or found.replace("python3", "python").endswith(f"/{command}")


def test_the_projects_own_python_is_named_by_its_path(tmp_path: Path) -> None:
    project(tmp_path, {".venv/bin/python": "", "pytest.ini": ""})

    assert [".venv/bin/python -m pytest"] == list(commands(tmp_path, ""))


def test_each_language_has_its_command_and_make_only_stands_in_for_none(tmp_path: Path) -> None:
    files = {"Cargo.toml": "", "package.json": '{"scripts": {"test": "vitest"}}', "Makefile": "test:\n"}

    assert ["cargo test", "npm test"] == list(commands(project(tmp_path, files), ""))


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({"command": "tox -e unit"}, ["Tests: tox -e unit"]),
        ({"enabled": False}, []),
        ({"venv": "env"}, ["Tests: cargo test"]),
    ],
)
def test_the_evaluators_own_settings_outrank_them(
    tmp_path: Path, settings: dict[str, object], shown: list[str]
) -> None:
    project(tmp_path, {"Cargo.toml": ""})
    named = {f"evaluators.testrunner.{key}": value for key, value in settings.items()}

    async def sections() -> list[str]:
        stage = Scenario(settings=named, installed=frozenset({"hooks", "evaluators"}))
        async with make_run(tmp_path, stage=stage) as run:
            rows = await run.collect(hooks.before_plan, task=Task("a task"), recall=Recall(), run=run)
        return [one.text for name, some in rows if name == "test-command" for one in some]

    assert shown == asyncio.run(sections())


def test_a_project_without_tests_names_none(tmp_path: Path) -> None:
    assert [] == list(commands(project(tmp_path, {"a.py": "A = 1\n"}), ""))
