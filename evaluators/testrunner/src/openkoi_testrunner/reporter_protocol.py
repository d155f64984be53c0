"""Parse the output of the reporter that runs in the project's interpreter."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .locations import deepest_location, workspace_path
from .messages import error_line, last_part, stable_line
from .results import CaseResult, SuiteOutcome, failed_case, merge_tests

MAX_LINES = 400
LATE = "timed out"
DID_NOT_RUN = {2: "was interrupted", 3: "crashed", 4: "could not start"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterRecord:
    """One line of the reporter."""

    kind: str
    id: str = ""
    outcome: str = ""
    text: str = ""
    reason: str = ""
    place: str = ""
    name: str = ""
    code: int = 0
    sent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterOutput:
    """The reporter's records, the other output, and whether time ran out."""

    records: tuple[ReporterRecord, ...]
    printed: str
    root: Path
    timed_out: bool = False

    @property
    def missing(self) -> bool:
        """Whether this interpreter is unusable, or has no pytest."""
        return any(record.kind == "missing" for record in self.records)

    @property
    def runner(self) -> str:
        """The program that runs the tests."""
        return next((record.name for record in self.records if record.kind == "runner"), "pytest")

    @property
    def end(self) -> ReporterRecord | None:
        """The reporter's last record; None if it did not finish."""
        return next((record for record in self.records if record.kind == "end"), None)


def parse_output(lines: Iterable[str], mark: str) -> tuple[tuple[ReporterRecord, ...], str]:
    """Separate the reporter's lines from other output."""
    records: list[ReporterRecord] = []
    printed: deque[str] = deque(maxlen=MAX_LINES)
    for line in lines:
        if line.startswith(mark):
            records.extend(parse_record(line[len(mark) :]))
        elif line.strip() or (printed and printed[-1].strip()):
            printed.append(line.rstrip("\n"))
    return tuple(records), "\n".join(printed)


def parse_record(line: str) -> Iterator[ReporterRecord]:
    """Yield the record in a line; nothing for a truncated line."""
    try:
        yield ReporterRecord(**json.loads(line))
    except (ValueError, TypeError):
        return


def outcome_of(story: ReporterOutput) -> SuiteOutcome:
    """Return the results of the tests, including the runner's own failure."""
    tests = [test for record in story.records if record.kind == "test" for test in to_tests(record, story.root)]
    accident = runner_failure(story)
    skipped = tuple(record.id for record in story.records if record.outcome == "skipped")
    everything = merge_tests([*tests, *find_unfinished(story), *accident])
    return SuiteOutcome(runner=story.runner, tests=everything, skipped=skipped, complete=not accident, repeats=True)


def to_tests(record: ReporterRecord, root: Path) -> Iterator[CaseResult]:
    """Yield the test of a record; a skipped one did not run."""
    if record.outcome == "passed":
        yield CaseResult(record.id, passed=True)
    elif record.outcome == "failed":
        reason = record.reason or error_line(record.text)
        where = deepest_location(record.text, root) or test_location(record.place, root)
        yield failed_case(record.id, reason, record.text, where)


def test_location(place: str, root: Path) -> str:
    """Return the test's own location, when the traceback names nothing in the workspace."""
    path, _, line = place.rpartition(":")
    known = workspace_path(path, root) if path else ""
    return f"{known}:{line}" if known else ""


def find_unfinished(story: ReporterOutput) -> Iterator[CaseResult]:
    """Yield the test that started and never ended, when the runner was cut off."""
    if story.end is not None:
        return
    ended = {record.id for record in story.records if record.kind == "test"}
    for record in story.records:
        if record.kind == "start" and record.id not in ended:
            how = LATE if story.timed_out else "ended the test process"
            where = workspace_path(record.id.partition("::")[0], story.root)
            yield CaseResult(
                record.id, passed=False, title=f"{record.id} {how}", where=where, detail=last_part(story.printed)
            )


def runner_failure(story: ReporterOutput) -> tuple[CaseResult, ...]:
    """Return the runner's own failure, if it did not finish or a part of its report is lost."""
    end = story.end
    if end is None:
        how = LATE if story.timed_out else "crashed"
    elif end.code in DID_NOT_RUN:
        how = DID_NOT_RUN[end.code]
    elif end.sent > sum(record.kind == "test" for record in story.records):
        return (
            CaseResult(
                story.runner, passed=end.code == 0, title=f"{story.runner} failed, and part of its report is missing"
            ),
        )
    else:
        return ()
    why = stable_line(error_line(story.printed))
    title = f"{story.runner} {how}: {why}" if why and not story.timed_out else f"{story.runner} {how}"
    where = deepest_location(story.printed, story.root)
    return (CaseResult(story.runner, passed=False, title=title, where=where, detail=last_part(story.printed)),)
