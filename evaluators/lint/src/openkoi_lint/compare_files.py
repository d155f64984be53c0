"""Lint the files that the work changed, and compare the findings with those from before the change.

A file's earlier content is read from the work's diff, so nothing needs to be checked before the first change.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from openkoi_base.files.diffs import format_names, split_by_file
from openkoi_base.files.reverse_patch import reverse_patch
from openkoi_hookspecs import ExecutionResult, Finding
from openkoi_hookspecs.lazy_dataclass import dataclass

from .baseline import LinterBaseline, digest_finding, file_of
from .linter import Linter
from .messages import LinterOutput
from .run_linter import LinterRunner

MAX_COMPARED = 100  # files with findings: each is one more command, of about 50 ms


@dataclass(frozen=True, slots=True)
class Comparison:
    """A linter's findings now and before; None if it could not run. ``missing`` says which could not be compared."""

    now: LinterOutput | None
    then: LinterBaseline
    missing: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        """Whether the linter could not run, for an unknown reason."""
        return self.now is None and not self.missing


async def compare_files(linter: Linter, work: ExecutionResult, runner: LinterRunner) -> Comparison:
    """Compare the findings in each file that the work changed with those in the file before the work."""
    root = runner.run.workspace
    now = await runner.check_files(linter, [file for file in work.files if is_checked(file, linter, root)])
    parts = split_by_file(work.diff) if now and now.findings else {}
    seen: Counter[str] = Counter()
    unknown = []
    for place, file in enumerate(files_with_findings(now, work.files)):
        old = read_old_text(root / file, parts.get(file, "")) if place < MAX_COMPARED else None
        then = await find_in_text(old, file, linter, runner)
        if then is None:
            unknown.append(file)
        seen.update(map(digest_finding, then or ()))
    why = f"{linter.label} could not compare {format_names(unknown)} with the state before the task"
    return Comparison(without(now, unknown), LinterBaseline(seen), (why,) if unknown else ())


async def find_in_text(old: str | None, file: str, linter: Linter, runner: LinterRunner) -> tuple[Finding, ...] | None:
    """Return the findings in a file before the work; None if its content is unknown or cannot be checked."""
    if not old:  # nothing is wrong with a file that did not exist
        return None if old is None else ()
    output = await runner.check_text(linter, file, old)
    return None if output is None or output.broke or output.cut else output.findings


def is_checked(file: str, linter: Linter, root: Path) -> bool:
    """Return whether a linter checks a file: a text file that still exists and is not a link."""
    return linter.checks(file) and not (root / file).is_symlink() and read_text_exactly(root / file) is not None


def files_with_findings(output: LinterOutput | None, changed: Sequence[str]) -> list[str]:
    """Return the changed files that a linter has found something in."""
    found = {file_of(finding) for finding in output.findings} if output else set()
    return [file for file in changed if file in found]


def read_old_text(path: Path, part: str) -> str | None:
    """Return the text of a file before a diff's part changed it; None if that is not known."""
    text = read_text_exactly(path)
    return reverse_patch(part, text) if part and text is not None else None


def read_text_exactly(path: Path) -> str | None:
    """Return a file's text with its line ends; None if there is no text in UTF-8."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def without(output: LinterOutput | None, files: Sequence[str]) -> LinterOutput | None:
    """Return a linter's output without its findings in these files."""
    return output and replace(output, findings=tuple(one for one in output.findings if file_of(one) not in files))
