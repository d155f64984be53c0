"""Add the project's test command to the prompt if its files quickly reveal it, and start running the tests.

They run during the model's first call, so that their results are known before the first change. For the prompt, only
the workspace's top folder and its test folders are read, because reading a large project takes most of a second.
"""

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

from openkoi_base.files.project_files import read_source
from openkoi_hookspecs import Env, ExecutionResult, Plan, Run, Section, SharedSetting, StopReason, Task, hookimpl

from .interpreters import find_interpreters
from .package import Package
from .project import (
    PYTEST_TEST,
    UNITTEST_TEST,
    asks_for_pytest,
    find_target,
    read_justfile,
    read_makefile,
)

if TYPE_CHECKING:
    from .evaluator import TestRunner

FOLDERS = (".", "tests", "test")
MAX_READ = 20  # test files read to detect their runner


class TestCommand:
    """Adds the section ``environment.tests``, and starts the tests. Configured by ``[evaluators.testrunner]``."""

    __test__: ClassVar[bool] = False  # its name begins like that of a test class

    def __init__(
        self,
        *,
        tests_enabled: Annotated[bool, SharedSetting("evaluators.testrunner.enabled")] = True,
        command: Annotated[str, SharedSetting("evaluators.testrunner.command")] = "",
        venv: Annotated[str, SharedSetting("evaluators.testrunner.venv")] = "",
        active_venv: Annotated[str, Env("VIRTUAL_ENV")] = "",
    ) -> None:
        self.enabled, self.command, self.venv = tests_enabled, command, active_venv or venv

    @hookimpl
    async def before_plan(self, run: Run) -> Sequence[Section] | None:
        """Return the commands; None if the project names none, or its tests are disabled."""
        if not self.enabled:
            return None
        found = [self.command] if self.command else await asyncio.to_thread(test_commands, run.workspace, self.venv)
        return [Section("environment.tests", f"Tests: {', '.join(found)}")] if found else None

    @hookimpl
    async def before_execute(self, plan: Plan, run: Run) -> None:
        """Start the tests if the work will be evaluated."""
        if self.enabled and plan.evaluate and not run.iterations and is_work(run.task):
            (await find_runner(run)).begin(run)

    @hookimpl
    async def after_execute(self, work: ExecutionResult, run: Run) -> None:
        """Stop the tests if nothing will be evaluated."""
        evaluated = work.changed or (work.ended is StopReason.DONE and work.answered)
        if self.enabled and not evaluated and not run.iterations and is_work(run.task):
            await (await find_runner(run)).end(run)


async def find_runner(run: Run) -> "TestRunner":
    """Return the evaluator that runs the tests."""
    return cast("TestRunner", await run.koi.load("evaluators", "testrunner"))


def is_work(task: Task) -> bool:
    """Return whether a task asks for more than an answer, and has an evaluation of its own."""
    if task.parent or task.effective_limits.iterations == 0:
        return False
    from openkoi_prompt import is_question

    return not is_question(task.text)


def test_commands(root: Path, venv: str) -> Sequence[str]:
    """Return the commands that run the tests of a project."""
    return [*by_language(root, venv)] or [*by_target(root)][:1]


def by_language(root: Path, venv: str) -> Iterator[str]:
    """Yield the command of each language that the top folder names."""
    if runner := python_runner(root):
        yield f"{find_interpreter(root, venv)} -m {runner}"
    if (root / "Cargo.toml").is_file():
        yield "cargo test"
    if (root / "go.mod").is_file():
        yield "go test ./..."
    if Package.read(root).test_script:
        yield "npm test"


def by_target(root: Path) -> Iterator[str]:
    """Yield the targets that run tests."""
    for program, recipes in (("make", read_makefile(root)), ("just", read_justfile(root))):
        if name := find_target(recipes):
            yield f"{program} {name}"


def python_runner(root: Path) -> str:
    """Return the module that runs the Python tests; empty if a quick look finds none."""
    if asks_for_pytest(root):
        return "pytest"
    runner = ""
    for folder in FOLDERS:
        for file in sorted((root / folder).glob("test*.py"))[:MAX_READ]:
            if PYTEST_TEST.search(text := read_source(file)):
                return "pytest"
            if UNITTEST_TEST.search(text) and not runner:
                runner = "unittest" if folder == "." else f"unittest discover -s {folder}"
    return runner


def find_interpreter(root: Path, venv: str) -> str:
    """Return the tests' Python interpreter, as a relative path if it belongs to the project."""
    first = next(iter(find_interpreters(root, venv)), "python")
    return os.path.relpath(first, root) if Path(first).is_relative_to(root) else first
