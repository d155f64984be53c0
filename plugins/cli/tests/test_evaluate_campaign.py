"""Six real projects of four languages, each as it is published, with its own tests, clean and with one seeded bug.

They come from pip, npm and apt, into a temporary folder; whichever of these is missing is said as the test is skipped.
"""

import asyncio
import json
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from jsonschema import Draft4Validator

from openkoi_cli.evaluate import NoOpWorker
from openkoi_cli.evaluate.report import EvaluationReport
from openkoi_cli.evaluate.sarif import report_to_sarif
from openkoi_cli.evaluate.session import EvaluationRequest, evaluate_copy
from openkoi_hookspecs import Limits
from openkoi_testing import Scenario

AUTHOR = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
SCHEMA = "@microsoft/jest-sarif@1.0.0-beta.0"
WITHOUT = {f"evaluators.{name}.enabled": False for name in ("judge", "word-count")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Where a project comes from, the bug, a test that then fails, and the file that is named for it."""

    name: str
    bug: tuple[str, str, str]
    test: str
    where: str
    pip: str = ""
    npm: str = ""
    apt: str = ""
    needs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    def lay(self, folder: Path) -> Path:
        """Bring it here as a repository; skip where its registry cannot be reached."""
        home = from_apt(self, folder) if self.apt else fetched(self, folder)
        if self.bug[1] not in (home / self.bug[0]).read_text():
            pytest.skip(f"{self.name} is of another version here: there is no {self.bug[1]!r} in {self.bug[0]}")
        (home / ".gitignore").write_text("node_modules\ntarget\nCargo.lock\n")
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "as published")):
            subprocess.run(["git", "-C", str(home), *AUTHOR, *words], capture_output=True, check=True)
        return home

    def break_in(self, folder: Path) -> None:
        """Seed the bug."""
        name, right, wrong = self.bug
        before = (folder / name).read_text()
        assert 1 == before.count(right)
        (folder / name).write_text(before.replace(right, wrong))


PROJECTS = (
    Project(
        name="inflection",
        pip="inflection==0.5.1",
        programs=("pip",),
        bug=("inflection/__init__.py", "number % 100 in (11, 12, 13)", "number % 100 in (11, 12)"),
        test="test_ordinal",
        where="test_inflection.py",
    ),
    Project(
        name="toolz",
        pip="toolz==1.0.0",
        programs=("pip",),
        bug=("toolz/itertoolz.py", "islice(seq, 0, None, n)", "islice(seq, 1, None, n)"),
        test="test_take_nth",
        where="toolz/tests/test_itertoolz.py",
    ),
    Project(
        name="camelize",
        npm="camelize@1.0.0",
        needs=("tape@4",),
        programs=("npm",),
        bug=("index.js", "/[_.-](\\w|$)/g", "/[_-](\\w|$)/g"),
        test="should be equivalent",
        where="test/camel.js:15",
    ),
    Project(
        name="typedarray",
        npm="typedarray@0.0.6",
        needs=("tape@4",),
        programs=("npm",),
        bug=("index.js", "exports.Uint8Array || Uint8Array;", "exports.Uint8Array || Uint16Array;"),
        test="should be equal",
        where="test/tarray.js:8",
    ),
    Project(
        name="strsim",
        apt="librust-strsim-dev",
        programs=("apt-get", "dpkg-deb", "cargo"),
        bug=("src/lib.rs", "(matches / b_len as f64)", "(matches / a_len as f64)"),
        test="jaro_diff_short",
        where="src/lib.rs",
    ),
    Project(
        name="shlex",
        apt="golang-github-google-shlex-dev",
        programs=("apt-get", "dpkg-deb", "go"),
        bug=("shlex.go", '"#"', '"%"'),
        test="TestLexer",
        where="shlex_test.go",
    ),
)


def fetched(project: Project, folder: Path) -> Path:
    """The project as it is published, with what its tests need."""
    home = folder / project.name
    pip = ["pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "-d", str(folder), project.pip]
    result = run(pip if project.pip else ["npm", "pack", "--silent", project.npm], folder)
    archive = next((path for path in folder.iterdir() if path.name.endswith(("gz", "tgz"))), None)
    if result.returncode or archive is None:
        pytest.skip(f"{project.name} cannot be had here: {result.stderr[-200:]}")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    next((folder / "unpacked").iterdir()).rename(home)
    if project.needs:
        run(["npm", "install", "--silent", "--no-save", "--no-package-lock", *project.needs], home)
    return home


def from_apt(project: Project, folder: Path) -> Path:
    """The source of a library as a distribution has it. Nothing is installed."""
    result = run(["apt-get", "download", project.apt], folder)
    archive = next(folder.glob("*.deb"), None)
    if result.returncode or archive is None:
        pytest.skip(f"{project.name} cannot be had here: {result.stderr[-200:]}")
    run(["dpkg-deb", "-x", str(archive), "unpacked"], folder)
    source = next((folder / "unpacked" / "usr" / "share").rglob(project.bug[0]))
    return source.parents[len(Path(project.bug[0]).parts) - 1]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def evaluate(folder: Path, revision: str = "") -> EvaluationReport:
    """Evaluate as somebody does who has no model."""
    wanted = EvaluationRequest(folder=folder, revision=revision, base=folder, limits=Limits(seconds=600))
    installed = Scenario().installed | {"evaluators"}
    stage = Scenario(
        others={"workers": {"evaluate": NoOpWorker()}}, settings={**WITHOUT, "models.default": ""}, installed=installed
    )

    async def done() -> EvaluationReport:
        with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as home:
            async with stage.build_app(Path(home), Path(home)) as koi:
                return await evaluate_copy(wanted, koi)

    return asyncio.run(done())


def files_of(folder: Path) -> dict[Path, tuple[int, bytes]]:
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def list_findings(report: EvaluationReport) -> list[str]:
    return [f"{issue.finding.severity} {issue.location} {issue.finding.title}" for issue in report.issues]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Draft4Validator | None:
    """The standard's own schema, as a package brings it; None where it cannot be had."""
    folder = tmp_path_factory.mktemp("schema")
    if shutil.which("npm") is None or run(["npm", "pack", "--silent", SCHEMA], folder).returncode:
        return None
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        packed.extractall(folder, filter="data")
    return Draft4Validator(json.loads(next(folder.rglob("sarif-2.1.0*.json")).read_text()))


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.row("EVAL-02", "EVAL-25", "C80")
@pytest.mark.parametrize("project", PROJECTS, ids=[project.name for project in PROJECTS])
def test_a_seeded_bug_is_found_at_its_line_and_a_clean_tree_is_clean(
    project: Project, tmp_path: Path, published: Draft4Validator | None
) -> None:
    missing = [name for name in project.programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"there is no {' and no '.join(missing)} here")
    folder = project.lay(tmp_path)
    (folder / "NOTES.txt").write_text("A change that breaks nothing.\n")
    clean = evaluate(folder, "HEAD")
    project.break_in(folder)
    before = files_of(folder)

    alone, since = evaluate(folder), evaluate(folder, "HEAD")

    print(
        f"\n{project.name}: clean {clean.status} {len(clean.evaluation.checks)} checks; {since.reason}",
        *list_findings(since),
        sep="\n  ",
    )
    assert (0, []) == (clean.status, list_findings(clean)), clean.warnings
    for report in (alone, since):
        assert 3 == report.status
        assert any(
            project.test in one.finding.title and one.location.startswith(project.where) for one in report.issues
        )
        assert all(one.line for one in report.issues if one.finding.rule in report.evaluation.failing)
        assert [] == list(published.iter_errors(report_to_sarif(report, "1")) if published else [])
    assert before == files_of(folder)
