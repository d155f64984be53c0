"""Find the test suites of a project: each is a test runner and the folder of its manifest."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from openkoi_base.files.project_commands import name_folder, outermost_folders
from openkoi_base.files.project_files import find_project_files
from openkoi_hookspecs.lazy_dataclass import dataclass

from .project import RunnerKind, asks_for_pytest, detect_python_runner, detect_runners, python_test_files

PYTHON = {"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini"}
OTHERS = {"Cargo.toml", "go.mod", "package.json"}
SAMPLES = {"fixtures", "__fixtures__", "examples", "example", "testdata", "templates", "test", "tests", "__tests__"}
NESTED = (RunnerKind.CARGO, RunnerKind.GO, RunnerKind.NPM)
LAST = (RunnerKind.NODE, RunnerKind.MAKE, RunnerKind.JUST)

SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".json"})
PYTHONS = frozenset({".py", ".pyi", ".toml"})
OF_ITS_OWN = {
    RunnerKind.PYTEST: PYTHONS,
    RunnerKind.UNITTEST: PYTHONS,
    RunnerKind.NPM: SCRIPTS,
    RunnerKind.NODE: SCRIPTS,
    RunnerKind.CARGO: frozenset({".rs", ".toml"}),
    RunnerKind.GO: frozenset({".go", ".mod"}),
}


@dataclass(frozen=True, slots=True)
class Suite:
    """A runner, and its folder below the workspace; empty for the workspace itself."""

    kind: RunnerKind
    folder: str = ""

    def contains_any(self, paths: Sequence[str]) -> bool:
        """Return whether one of these files is below the suite's folder."""
        return not self.folder or any(self.holds(PurePosixPath(path)) for path in paths)

    def concerns(self, paths: Sequence[str]) -> bool:
        """Return whether one of these files is in the suite's folder, and of its language."""
        of_its_own = OF_ITS_OWN.get(self.kind)
        files = (PurePosixPath(path) for path in paths)
        return any(self.holds(path) and (of_its_own is None or path.suffix in of_its_own) for path in files)

    def holds(self, path: PurePosixPath) -> bool:
        """Return whether the file is in the suite's folder."""
        return path.is_relative_to(self.folder)


def suites_of(root: Path) -> tuple[Suite, ...]:
    """Return every runner with something to run; one without a language only if there is no other."""
    homes = tuple(homes_in(root))
    found = (*python_suites(root, homes), *(suite for kind in NESTED for suite in nested_suites(kind, root, homes)))
    last = (Suite(kind) for kind in detect_runners(root) if kind in LAST)
    return found or tuple(last)[:1]


def remaining_suites(suites: Iterable[Suite], root: Path) -> Iterator[Suite]:
    """Return the suites that still have something to run."""
    for suite in suites:
        folder = root / suite.folder
        if suite.kind in detect_runners(folder) or suite.kind is python_kind(folder):
            yield suite


def homes_in(root: Path) -> Iterator[Path]:
    """Yield every folder with a manifest, outer before inner; skip samples."""
    found = {path.parent for path in find_project_files(root, (PYTHON | OTHERS).__contains__)}
    for home in sorted(found):
        if SAMPLES.isdisjoint(home.relative_to(root).parts):
            yield home


def python_suites(root: Path, homes: Sequence[Path]) -> list[Suite]:
    """Return Python's suites: the workspace itself, unless all of its tests are in projects further down."""
    below = [home for home in homes if home != root and has_any(home, PYTHON)]
    loose = (path for path in python_test_files(root) if not any(path.is_relative_to(home) for home in below))
    if not below or has_any(root, PYTHON) or asks_for_pytest(root) or next(loose, None):
        kind = python_kind(root)
        return [Suite(kind)] if kind else []
    kinds = [(home, python_kind(home)) for home in outermost_folders(below)]
    return [Suite(kind, name_folder(home, root)) for home, kind in kinds if kind]


def nested_suites(kind: RunnerKind, root: Path, homes: Sequence[Path]) -> list[Suite]:
    """Return the suites of a kind: the outermost, which include those below; a Go module runs only itself."""
    having = [home for home in homes if kind in detect_runners(home)]
    chosen = having if kind is RunnerKind.GO else outermost_folders(having)
    return [Suite(kind, name_folder(home, root)) for home in chosen]


def has_any(home: Path, names: set[str]) -> bool:
    """Return whether one of these files exists."""
    return any((home / name).is_file() for name in names)


def python_kind(root: Path) -> RunnerKind | None:
    """Return how the Python tests below a folder are run, if there are any."""
    return RunnerKind.PYTEST if asks_for_pytest(root) else detect_python_runner(root)
