"""Detect that tests cannot run because dependencies are not installed."""

from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.files import diagnose_start
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .messages import error_line, stable_line, without_colours
from .package import Package
from .results import SuiteOutcome
from .suites import Suite

if TYPE_CHECKING:
    from .report import RunnerReport

CRATES = lazy_pattern(r"--offline|offline mode|no matching package named `|failed to load source for dependency")
MODULES = lazy_pattern(r"GOPROXY=off|disabled by GO(PROXY|FLAGS)|dial tcp: lookup proxy")
PYTHON = lazy_pattern(r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'")
JAVASCRIPT = lazy_pattern(
    r"(?:Cannot find (?:module|package)|Failed to resolve import) ['\"](?P<module>[^.'\"/][^'\"]*)['\"]"
)
NOT_FOUND = 127
NOT_STARTED = (126, NOT_FOUND)  # POSIX, exit status of the shell: a program that cannot be executed, or found


@dataclass(frozen=True, slots=True)
class NotRun:
    """Tests that were not run, why, and what to do. ``partly``: the runner started, but could import none of them."""

    suite: Suite
    why: str
    fix: str
    partly: bool = False


def missing_packages(suite: Suite, root: Path) -> NotRun | None:
    """Return a JavaScript project whose packages are installed neither next to it nor further up."""
    folder = root / suite.folder
    above = [folder, *(parent for parent in folder.parents if parent == root or parent.is_relative_to(root))]
    if not Package.read(folder).needs or any((place / "node_modules").is_dir() for place in above):
        return None
    return NotRun(
        suite,
        "its packages are not installed: node_modules is missing",
        f"Run `npm install` in {describe_folder(suite)}.",
    )


def missing_download(suite: Suite, report: "RunnerReport", outcome: SuiteOutcome) -> NotRun | None:
    """Return a runner that named no test, because it failed to download something."""
    if report.exit_code == 0 or any(test.name != outcome.runner for test in outcome.tests):
        return None
    output = without_colours(report.text)
    if broken := diagnose_start(report.exit_code, output):
        return NotRun(suite, f"{report.runner} cannot start: {broken.why}", broken.fix)
    if suite.kind.value == "cargo" and CRATES.search(output):
        return NotRun(suite, "its crates are not downloaded", f"Run `cargo fetch` in {describe_folder(suite)}.")
    if suite.kind.value == "go" and MODULES.search(output):
        return NotRun(suite, "its modules are not downloaded", f"Run `go mod download` in {describe_folder(suite)}.")
    if report.exit_code in NOT_STARTED:
        how = "is missing" if report.exit_code == NOT_FOUND else "cannot be run"
        why = f"a program {how}: {stable_line(error_line(output)).rstrip('.')}"
        return NotRun(suite, why, "Install it, or set `command` in [evaluators.testrunner].")
    return None


def missing_imports(suite: Suite, outcome: SuiteOutcome, root: Path) -> NotRun | None:
    """Return tests that all fail because a third-party package cannot be imported."""
    wanted = [PYTHON.search(test.title) or JAVASCRIPT.search(test.title) for test in outcome.red]
    if outcome.green or not wanted or not all(wanted):
        return None
    modules = sorted(
        {match["module"] for match in wanted if match and not is_own(match["module"], root / suite.folder)}
    )
    if not modules:
        return None
    why = f"modules they import are not installed in their environment: {', '.join(modules[:5])}"
    return NotRun(suite, why, "Install the project's dependencies there.", partly=True)


def is_own(module: str, folder: Path) -> bool:
    """Return whether the module would be the project's own: one that is not written yet looks the same."""
    name = module.partition(".")[0]
    return any((base / name).exists() or (base / f"{name}.py").exists() for base in (folder, folder / "src"))


def describe_folder(suite: Suite) -> str:
    """Describe the suite's folder."""
    return suite.folder or "the project"
