"""Certify a plugin's package: ``python -m openkoi_testing.certify FOLDER``.

The package is installed, each of its entry points can be loaded, its tests pass, and they contain the contract suite of
each kind that it registers. Its hooks are called in a synthetic task.
"""

import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from pathlib import Path

import pytest

GROUPS = "openkoi."
HOOKS = "hooks"
PYTEST_OPTIONS = (
    "-q",
    "--tb=short",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
)  # this module is loaded before pytest
CONTRACTS_BY_KIND: Mapping[str, tuple[str, ...]] = {  # a plugin passes one of them
    "budgets": ("BudgetContract",),
    "checkpoints": ("CheckpointsContract",),
    "compactors": ("CompactorContract",),
    "embedders": ("EmbedderContract",),
    "evaluators": ("EvaluatorContract",),
    "frontends": ("FrontendContract",),
    "integrations": ("MessengerContract", "DocumentsContract"),
    "memory": ("MemoryContract",),
    "providers": ("ProviderContract",),
    "questions": ("QuestionsContract",),
    "sandboxes": ("SandboxContract",),
    "sources": ("SourceContract",),
    "tools": ("ToolProviderContract",),
    "workers": ("AgentRunnerContract",),
}
SUITES = {name for names in CONTRACTS_BY_KIND.values() for name in names}
NOT_INSTALLED = "{name} is not installed here. Run `pip install -e {folder}`."
NO_SUITE = "{kind} {name}: no test inherits {contracts}. Add `class TestContract({contract}): subject = ...`."


@dataclass(slots=True)
class SuiteCounter:
    """A pytest plugin that counts the passed tests of each contract suite, and records why tests failed."""

    passed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    suites_by_test: dict[str, list[str]] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Record the suites that each test belongs to."""
        for item in items:
            kind = getattr(item, "cls", None)
            bases = [base.__name__ for base in kind.__mro__] if kind else []
            self.suites_by_test[item.nodeid] = [name for name in bases if name in SUITES]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test that passed, or record why it failed."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = str(crash.message).partition("\n")[0] if crash else f"its {report.when} failed"
            self.failures.append(f"{report.location[2]}: {why.removeprefix('AssertionError: ')}")
        elif report.when == "call" and report.passed:
            self.passed.update(self.suites_by_test.get(report.nodeid, []) or ["other tests"])


def certify(folder: Path) -> int:
    """Certify the package in a folder, print what was found, and return the exit status."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except FileNotFoundError:
        print(f"! There is no pyproject.toml in {folder.absolute()}. Give the folder of a plugin.\nNot certified.")
        return 1
    except (OSError, ValueError) as error:
        print(f"! {folder / 'pyproject.toml'} cannot be read: {error}\nNot certified.")
        return 1
    plugins = list_plugins(project)
    print(f"{project.get('name', folder.name)} {project.get('version', '')}".rstrip(), flush=True)
    problems = find_problems(project, plugins, folder)
    if not problems:
        counter = SuiteCounter()
        status = pytest.main([*PYTEST_OPTIONS, "--rootdir", str(folder), str(folder)], plugins=[counter])
        problems = explain_suites(plugins, counter, int(status))
        problems += check_hooks([name for kind, name in plugins if kind == HOOKS])
        for suite, count in sorted(counter.passed.items()):
            print(f"  {suite}: {count} passed")
    for problem in problems:
        print(f"! {problem}")
    print("Not certified." if problems else "✓ Certified.")
    return 1 if problems else 0


def list_plugins(project: Mapping[str, Mapping[str, Mapping[str, str]]]) -> list[tuple[str, str]]:
    """Return the kind and name of each plugin that a project registers."""
    groups = project.get("entry-points", {})
    return [
        (group.removeprefix(GROUPS), name) for group in groups if group.startswith(GROUPS) for name in groups[group]
    ]


def find_problems(project: Mapping[str, object], plugins: Sequence[tuple[str, str]], folder: Path) -> list[str]:
    """Return the errors in a project's metadata and entry points."""
    if not plugins:
        return [f"{folder / 'pyproject.toml'} registers no plugin: it has no entry points of a group `openkoi.KIND`."]
    name = str(project.get("name", ""))
    try:
        points = distribution(name).entry_points
    except PackageNotFoundError:
        return [NOT_INSTALLED.format(name=name, folder=folder)]
    found = {(one.group.removeprefix(GROUPS), one.name): one for one in points}
    problems = [
        f"{kind} {plugin} is not among the installed entry points. Run `pip install -e {folder}` again."
        for kind, plugin in plugins
        if (kind, plugin) not in found
    ]
    return problems + [problem for key in plugins if key in found for problem in explain_broken(found[key])]


def explain_broken(point: EntryPoint) -> list[str]:
    """Return why an entry point cannot be loaded; nothing if it can."""
    try:
        point.load()
    except Exception as error:  # a plugin's module may raise anything
        return [f"The entry point {point.name} in {point.group} cannot be loaded: {type(error).__name__}: {error}"]
    return []


def explain_suites(plugins: Sequence[tuple[str, str]], counter: SuiteCounter, status: int) -> list[str]:
    """Run the tests; return failures, and kinds without their contract suite."""
    problems = ["There are no tests."] if status == pytest.ExitCode.NO_TESTS_COLLECTED else []
    if counter.failures or status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        problems += [*counter.failures, "The tests do not pass. Edit the plugin or its tests, then certify it again."]
    for kind, name in plugins:
        contracts = CONTRACTS_BY_KIND.get(kind, ())
        if contracts and not any(counter.passed[one] for one in contracts):
            either = " or ".join(contracts)
            problems.append(NO_SUITE.format(kind=kind, name=name, contracts=either, contract=contracts[0]))
    return problems


def check_hooks(names: Sequence[str]) -> list[str]:
    """Return the problems of these plugins' hooks in a synthetic task."""
    if not names:
        return []
    command = [sys.executable, "-P", "-m", "openkoi", "doctor", "--hooks"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    for line in lines:
        if line.split(" ")[0] in names:
            print(f"  {' '.join(line.split())}")
    return [line.removeprefix("! ") for line in lines if line.startswith("! ") and mentions_any(line, names)]


def mentions_any(line: str, names: Sequence[str]) -> bool:
    """Return whether a line contains one of these names, and not only as a part of a longer name."""
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line) for name in names)


if __name__ == "__main__":
    sys.exit(certify(Path(sys.argv[1])))
