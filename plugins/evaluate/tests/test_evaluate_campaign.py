"""Six projects of four languages, each clean and with one seeded bug.

Two of Python and two of JavaScript are real ones, with the tests that they are published with. Those of Rust and Go are
written here, in the shape that such libraries have, because their registries are not everywhere.
"""

import asyncio
import shutil
import subprocess
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openkoi_evaluate import AsItStands
from openkoi_evaluate.session import Wanted, evaluated
from openkoi_evaluate.verdict import Verdict
from openkoi_hookspecs import Limits
from openkoi_testing import Stage

AUTHOR = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
WITHOUT = {f"evaluators.{name}.enabled": False for name in ("judge", "word-count")}
RUST = {
    "Cargo.toml": '[package]\nname = "ledgerline"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "ledgerline"\nversion = "0.1.0"\n',
    "src/lib.rs": """\
//! Parses lines such as `2026-01-31 rent -850.00`.

pub mod amount;

/// One entry.
#[derive(Debug, PartialEq)]
pub struct Entry {
    pub date: String,
    pub what: String,
    pub cents: i64,
}

/// Read one line; `None` when it is no entry.
pub fn parse(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let date = words.next()?.to_string();
    let what = words.next()?.to_string();
    let cents = amount::cents(words.next()?)?;
    Some(Entry { date, what, cents })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_entry() {
        let entry = parse("2026-01-31 rent -850.00").unwrap();
        assert_eq!(entry.what, "rent");
        assert_eq!(entry.cents, -85_000);
    }

    #[test]
    fn half_a_line_is_none() {
        assert_eq!(parse("2026-01-31 rent"), None);
    }
}
""",
    "src/amount.rs": """\
/// Cents of an amount such as `-850.00`; `None` when it is none.
pub fn cents(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "00"));
    let value = whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?;
    Some(sign * value)
}
""",
    "tests/amounts.rs": """\
use ledgerline::amount::cents;

#[test]
fn a_debt_is_negative() {
    assert_eq!(cents("-2.50"), Some(-250));
}

#[test]
fn an_income_is_positive() {
    assert_eq!(cents("2.50"), Some(250));
}
""",
}
GO = {
    "go.mod": "module example.org/tides\n\ngo 1.19\n",
    "tide/tide.go": """\
// Package tide knows how high the water is.
package tide

import "math"

// Period is the hours from one high tide to the next.
const Period = 12.42

// Height tells how high the water is, hours after a high tide.
func Height(hours, mean, swing float64) float64 {
	return mean + swing*math.Cos(2*math.Pi*hours/Period)
}
""",
    "tide/tide_test.go": """\
package tide

import (
	"math"
	"testing"
)

func TestHigh(t *testing.T) {
	if got := Height(0, 3, 1); got != 4 {
		t.Fatalf("high tide is %v, not 4", got)
	}
}

func TestAfterAPeriodItIsHighAgain(t *testing.T) {
	if got := Height(Period, 3, 1); math.Abs(got-4) > 1e-9 {
		t.Errorf("after a period it is %v, not 4", got)
	}
}
""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Where a project comes from, the bug, a test that then fails, and the file that is named for it."""

    name: str
    bug: tuple[str, str, str]
    test: str
    where: str
    pip: str = ""
    npm: str = ""
    needs: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    program: str = "git"

    def lay(self, folder: Path) -> Path:
        """Bring it here as a repository; skip where its registry cannot be reached."""
        home = fetched(self, folder)
        for name, text in self.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        (home / ".gitignore").write_text("node_modules\ntarget\n")
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
        program="pip",
        bug=("inflection/__init__.py", "number % 100 in (11, 12, 13)", "number % 100 in (11, 12)"),
        test="test_ordinal",
        where="test_inflection.py",
    ),
    Project(
        name="toolz",
        pip="toolz==1.0.0",
        program="pip",
        bug=("toolz/itertoolz.py", "islice(seq, 0, None, n)", "islice(seq, 1, None, n)"),
        test="test_take_nth",
        where="toolz/tests/test_itertoolz.py",
    ),
    Project(
        name="camelize",
        npm="camelize@1.0.0",
        needs=("tape@4",),
        program="npm",
        bug=("index.js", "/[_.-](\\w|$)/g", "/[_-](\\w|$)/g"),
        test="should be equivalent",
        where="test/camel.js:15",
    ),
    Project(
        name="typedarray",
        npm="typedarray@0.0.6",
        needs=("tape@4",),
        program="npm",
        bug=("index.js", "exports.Uint8Array || Uint8Array;", "exports.Uint8Array || Uint16Array;"),
        test="should be equal",
        where="test/tarray.js:8",
    ),
    Project(
        name="ledgerline",
        files=RUST,
        program="cargo",
        bug=("src/amount.rs", "Some(sign * value)", "Some(value)"),
        test="a_debt_is_negative",
        where="tests/amounts.rs:5",
    ),
    Project(
        name="tides",
        files=GO,
        program="go",
        bug=("tide/tide.go", "2*math.Pi*hours", "math.Pi*hours"),
        test="TestAfterAPeriodItIsHighAgain",
        where="tide/tide_test.go:16",
    ),
)


def fetched(project: Project, folder: Path) -> Path:
    """The project as it is published, with what its tests need; an empty folder of one that is written here."""
    home = folder / project.name
    if project.files:
        home.mkdir()
        return home
    pip = ["pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "-d", str(folder), project.pip]
    brought = run(pip if project.pip else ["npm", "pack", "--silent", project.npm], folder)
    archive = next((path for path in folder.iterdir() if path.name.endswith(("gz", "tgz"))), None)
    if brought.returncode or archive is None:
        pytest.skip(f"{project.name} cannot be had here: {brought.stderr[-200:]}")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    next((folder / "unpacked").iterdir()).rename(home)
    if project.needs:
        run(["npm", "install", "--silent", "--no-save", "--no-package-lock", *project.needs], home)
    return home


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def evaluate(folder: Path, revision: str = "") -> Verdict:
    """Evaluate as somebody does who has no model."""
    wanted = Wanted(folder=folder, revision=revision, base=folder, limits=Limits(seconds=600))
    installed = Stage().installed | {"evaluators"}
    stage = Stage(
        others={"workers": {"evaluate": AsItStands()}}, settings={**WITHOUT, "models.default": ""}, installed=installed
    )

    async def done() -> Verdict:
        with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as home:
            async with stage.assemble(Path(home), Path(home)) as koi:
                return await evaluated(wanted, koi)

    return asyncio.run(done())


def files_of(folder: Path) -> dict[Path, tuple[int, bytes]]:
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def told(verdict: Verdict) -> list[str]:
    return [f"{issue.finding.severity} {issue.where} {issue.finding.title}" for issue in verdict.issues]


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("project", PROJECTS, ids=[project.name for project in PROJECTS])
def test_a_seeded_bug_is_found_at_its_line_and_a_clean_tree_is_clean(project: Project, tmp_path: Path) -> None:
    if shutil.which(project.program) is None:
        pytest.skip(f"there is no {project.program} here")
    folder = project.lay(tmp_path)
    (folder / "NOTES.txt").write_text("A change that breaks nothing.\n")
    clean = evaluate(folder, "HEAD")
    project.break_in(folder)
    before = files_of(folder)

    alone, since = evaluate(folder), evaluate(folder, "HEAD")

    print(
        f"\n{project.name}: clean {clean.status} {len(clean.evaluation.checks)} checks; {since.reason}",
        *told(since),
        sep="\n  ",
    )
    assert (0, []) == (clean.status, told(clean)), clean.warnings
    for verdict in (alone, since):
        assert 3 == verdict.status
        assert any(project.test in one.finding.title and one.where.startswith(project.where) for one in verdict.issues)
        assert all(one.line for one in verdict.issues if one.finding.rule in verdict.evaluation.failing)
    assert before == files_of(folder)
