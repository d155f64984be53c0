"""Format the evidence that a judge sees: the change, the response, and the results of checks."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import (
    Check,
    EffectCall,
    Evaluation,
    ExecutionResult,
    Finding,
    Message,
    Role,
    StopReason,
    Task,
    Text,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .quoting import abridge, make_marker, quote_content

MAX_RESPONSE_CHARACTERS = 6_000
MAX_LOG_CHARACTERS = 6_000
MAX_EARLIER_CHARACTERS = 3_000
MAX_CALL_LIST_CHARACTERS = 4_000  # characters of the list of calls
UNCHANGED = "Nothing changed: no file in the working directory differs, and no tool call had an effect elsewhere."
ONLY_ELSEWHERE = "No files in the working directory changed. Changes made by tool calls are listed with each call."
CHANGED = "+++ "
STOPPED = {
    StopReason.CYCLES: "it reached the maximum number of steps",
    StopReason.BUDGET: "its budget was spent",
    StopReason.TIME: "its time limit was reached",
    StopReason.LOOP: "it repeated the same calls",
    StopReason.REFUSED: "the model refused to continue",
    StopReason.UNMET: "it met none of the declared conditions",
    StopReason.PERSON: "it was waiting for the user",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence and its name."""

    name: str
    text: str


def format_task(task: Task) -> str:
    """Quote the task, its piped input, and the requests that it follows up on."""
    before = "\n\n".join(text_of(one) for one in task.history if one.role is Role.USER)
    seal = make_marker([task.text, task.context, *([before] if before else [])])
    parts = [quote_content("earlier requests", abridge(before, MAX_EARLIER_CHARACTERS), seal)] if before.strip() else []
    parts.append(quote_content("task", task.text, seal))
    if task.context.strip():
        parts.append(quote_content("context", abridge(task.context, MAX_RESPONSE_CHARACTERS), seal))
    return "## Task\n\n" + "\n".join(parts) + "\n"


def text_of(message: Message) -> str:
    """Return the text of a message."""
    return "".join(part.text for part in message.parts if isinstance(part, Text))


def format_work(work: ExecutionResult, room: int, facts: Sequence[Evidence] = ()) -> str:
    """Quote the whole work."""
    return quote_evidence(work, [*collect_evidence(work, room), *facts])


def quote_evidence(work: ExecutionResult, evidence: Sequence[Evidence]) -> str:
    """Quote evidence with one marker, after the plugins' criteria for the judge."""
    pieces = [*(Evidence(section.name, section.text) for section in work.criteria if section.untrusted), *evidence]
    seal = make_marker([text for piece in pieces for text in (piece.name, piece.text)])
    blocks = [quote_content(piece.name, piece.text, seal) for piece in pieces]
    return format_criteria(work) + "## Output to evaluate\n\n" + "\n".join([*blocks, *stop_notice(work)]) + "\n"


def format_criteria(work: ExecutionResult) -> str:
    """Return the criteria that plugins add."""
    texts = [section.text.strip() for section in work.criteria if not section.untrusted and section.text.strip()]
    return "## Also consider\n\n" + "\n\n".join(texts) + "\n\n" if texts else ""


def stop_notice(work: ExecutionResult) -> list[str]:
    """Return a sentence about work that was stopped early."""
    return [f"The attempt was stopped before it finished: {STOPPED[work.ended]}."] if work.ended in STOPPED else []


def collect_evidence(work: ExecutionResult, room: int) -> Iterator[Evidence]:
    """Yield the change, calls with effects, the response and the checks."""
    if work.diff.strip():
        yield Evidence("diff", abridge(work.diff, room, f"All changed files: {', '.join(changed_files(work))}"))
    else:
        yield Evidence("diff", ONLY_ELSEWHERE if work.changed else UNCHANGED)
    if work.calls:
        yield Evidence("calls", abridge("\n".join(map(format_call, work.calls)), MAX_CALL_LIST_CHARACTERS))
    yield from response_and_checks(work, MAX_RESPONSE_CHARACTERS if work.diff.strip() else room)


def response_and_checks(work: ExecutionResult, room: int) -> Iterator[Evidence]:
    """Yield the response, if there is room for it, and the results of checks."""
    if work.text.strip() and room:
        yield Evidence("answer", abridge(work.text, room))
    if work.known and (work.known.checks or work.known.findings or work.known.log):
        yield Evidence("checks", format_checks(work.known))


def format_call(call: EffectCall) -> str:
    """Format a call with effects, and its outcome."""
    effects = f" ({'; '.join(call.effects)})" if call.effects else ""
    return f"{call.call}: {call.outcome}{effects}"


def changed_files(work: ExecutionResult) -> tuple[str, ...]:
    """Return the changed files, as listed by the work or its diff."""
    lines = work.diff.splitlines()
    named = (line.removeprefix(CHANGED).removeprefix("b/") for line in lines if line.startswith(CHANGED))
    return work.files or tuple(named)


def format_checks(known: Evaluation) -> str:
    """Return the results of checks, and the end of their output."""
    lines = [*map(format_check, known.checks), *map(format_finding, known.findings)]
    log = abridge(known.log.strip(), MAX_LOG_CHARACTERS)
    return "\n".join([*lines, *([log] if log else [])])


def format_check(check: Check) -> str:
    """Return a check as one line."""
    if check.passed:
        return f"{check.name}: passed"
    return f"{check.name}: FAILED" if check.required else f"{check.name}: failed, as it did before the work began"


def format_finding(finding: Finding) -> str:
    """Return a finding as one line."""
    where = f"{finding.where}: " if finding.where else ""
    return f"[{finding.severity}] {where}{finding.title}"
