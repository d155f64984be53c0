"""Lay out what a judge looks at: the change, the last words, what the checks found. Knows no rubrics or models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Check, EffectCall, Evaluation, ExecutionResult, Finding, StopReason, Task

from .fence import fenced, mark, shortened

WORDS = 6_000
LOG = 6_000
CALLS = 4_000  # characters of the list of calls
UNCHANGED = "Nothing was changed: no file in the working directory differs, and no call had an effect elsewhere."
ONLY_ELSEWHERE = "No file in the working directory differs. What the calls changed is listed with them."
CHANGED = "+++ "
STOPPED = {
    StopReason.CYCLES: "it reached the maximum number of steps",
    StopReason.BUDGET: "its budget was spent",
    StopReason.TIME: "its time limit was reached",
    StopReason.LOOP: "it repeated the same calls",
    StopReason.REFUSED: "the model refused to continue",
    StopReason.UNMET: "it met none of the declared conditions",
    StopReason.PERSON: "it waits for the user",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something to look at, under its name."""

    name: str
    text: str


def asked(task: Task) -> str:
    """Quote the task, and what was piped in with it."""
    seal = mark([task.text, task.context])
    parts = [fenced("task", task.text, seal)]
    if task.context.strip():
        parts.append(fenced("context", shortened(task.context, WORDS), seal))
    return "## Task\n\n" + "\n".join(parts) + "\n"


def shown(work: ExecutionResult, room: int, facts: Sequence[Evidence] = ()) -> str:
    """Quote the whole of the work."""
    return quoted(work, [*evidence(work, room), *facts])


def quoted(work: ExecutionResult, evidence: Sequence[Evidence]) -> str:
    """Quote pieces of evidence behind one mark, with the plugins' wishes for the judge before them."""
    pieces = [*(Evidence(section.name, section.text) for section in work.criteria if section.untrusted), *evidence]
    seal = mark([text for piece in pieces for text in (piece.name, piece.text)])
    blocks = [fenced(piece.name, piece.text, seal) for piece in pieces]
    return wishes(work) + "## Output to evaluate\n\n" + "\n".join([*blocks, *stopped(work)]) + "\n"


def wishes(work: ExecutionResult) -> str:
    """What plugins want looked at."""
    texts = [section.text.strip() for section in work.criteria if not section.untrusted and section.text.strip()]
    return "## Also consider\n\n" + "\n\n".join(texts) + "\n\n" if texts else ""


def stopped(work: ExecutionResult) -> list[str]:
    """A sentence about work that did not come to its own end."""
    return [f"The attempt was stopped before it was done: {STOPPED[work.ended]}."] if work.ended in STOPPED else []


def evidence(work: ExecutionResult, room: int) -> Iterator[Evidence]:
    """Yield the change, then the calls that could change something, the last words and the checks."""
    if work.diff.strip():
        yield Evidence("diff", shortened(work.diff, room, f"All changed files: {', '.join(files(work))}"))
    else:
        yield Evidence("diff", ONLY_ELSEWHERE if work.changed else UNCHANGED)
    if work.calls:
        yield Evidence("calls", shortened("\n".join(map(format_call, work.calls)), CALLS))
    yield from said(work, WORDS if work.diff.strip() else room)


def said(work: ExecutionResult, room: int) -> Iterator[Evidence]:
    """The last words, if there is room for them, and what the checks found."""
    if work.text.strip() and room:
        yield Evidence("answer", shortened(work.text, room))
    if work.known and (work.known.checks or work.known.findings or work.known.log):
        yield Evidence("checks", checked(work.known))


def format_call(call: EffectCall) -> str:
    """Format a call that could change something, and how it ended."""
    effects = f" ({'; '.join(call.effects)})" if call.effects else ""
    return f"{call.call}: {call.outcome}{effects}"


def files(work: ExecutionResult) -> tuple[str, ...]:
    """The files that were changed, as the work or else its diff names them."""
    lines = work.diff.splitlines()
    named = (line.removeprefix(CHANGED).removeprefix("b/") for line in lines if line.startswith(CHANGED))
    return work.files or tuple(named)


def checked(known: Evaluation) -> str:
    """What the checks found, and the end of what they printed."""
    lines = [*map(check, known.checks), *map(finding, known.findings)]
    log = shortened(known.log.strip(), LOG)
    return "\n".join([*lines, *([log] if log else [])])


def check(check: Check) -> str:
    """One check in one line."""
    if check.passed:
        return f"{check.name}: passed"
    return f"{check.name}: FAILED" if check.required else f"{check.name}: failed, as it did before the work began"


def finding(finding: Finding) -> str:
    """One finding of a check in one line."""
    where = f"{finding.where}: " if finding.where else ""
    return f"[{finding.severity}] {where}{finding.title}"
