"""Format a run's tree of cycles as text."""

from collections.abc import Iterator

from openkoi_hookspecs import ToolCall, events

from .costs import NO_COST
from .formatting import first_line, format_tokens, truncate_line
from .run_tree import Cycle, CycleItem, CycleQuestion, CycleToolCall, CycleTree, IterationAttempt

INDENT = "  "
ID_LENGTH = 8
NO_RESULT = {True: "no result: it may have run", False: "it was not started"}
NO_TEXT = {True: "(no text)", False: "(no answer)"}


def format_tree(tree: CycleTree) -> Iterator[str]:
    """Yield the tree's lines, and its costs."""
    yield f"{truncate_line(tree.task)} ({tree.run[:ID_LENGTH]})"
    yield from format_iterations(tree)
    yield tree.costs.summary
    yield from tree.costs.lines


def format_iterations(tree: CycleTree) -> Iterator[str]:
    """Yield the lines of the iterations, and how the run ended."""
    for each in tree.attempts:
        if not each.is_empty:
            yield from format_attempt(each)
    yield truncate_line(tree.outcome, 160) or "the run has not ended"


def format_attempt(each: IterationAttempt) -> Iterator[str]:
    """Yield an iteration's lines: what preceded its cycles, the cycles, and the outcome."""
    yield f"iteration {each.number + 1}"
    yield from indent_lines(happening for one in each.items for happening in format_item(one))
    for cycle in each.cycles:
        yield from indent_lines(format_cycle(cycle))
    yield from indent_lines(format_outcome(each))


def format_cycle(cycle: Cycle) -> Iterator[str]:
    """Yield a cycle's lines: the first line of the response, its cost, and its items."""
    text = first_line(cycle.text) or NO_TEXT[cycle.answered]
    paid = "" if cycle.cost == NO_COST else f"  [{cycle.cost.text}]"
    yield f"cycle {cycle.number + 1}  {text}{paid}"
    yield from indent_lines(happening for one in cycle.items for happening in format_item(one))


def format_outcome(each: IterationAttempt) -> Iterator[str]:
    """Yield what ended the work, the score and the decision."""
    iteration = each.iteration
    if iteration.terminated_by:
        yield f"ended: {truncate_line(iteration.terminated_by)}"
    if iteration.evaluation:
        yield "no score" if iteration.score is None else f"score: {iteration.score:.2f}"
    if each.other_cost != NO_COST:
        yield f"calls outside the cycles  [{each.other_cost.text}]"
    if iteration.decision:
        yield f"{iteration.decision.action}: {truncate_line(iteration.decision.reason)}"


def format_item(one: CycleItem) -> Iterator[str]:
    match one:
        case CycleToolCall():
            yield format_call(one)
        case CycleQuestion():
            yield f"? {last_line(one.text)} -> {format_reply(one)}"
        case events.HistoryCompacted():
            yield f"~ {format_compaction(one)}"
        case CycleTree():
            yield f"part: {truncate_line(one.task)} ({one.run[:ID_LENGTH]})"
            yield from indent_lines(format_iterations(one))


def last_line(text: str) -> str:
    """Return the question itself, which follows its reasons."""
    *_, last = text.strip().splitlines() or [""]
    return truncate_line(last, 160)


def format_reply(one: CycleQuestion) -> str:
    """Return the user's answer, or that there was none."""
    if one.answer is not None:
        return first_line(one.answer) or "(nothing)"
    return "no answer" if one.replied else "not answered yet"


def format_call(one: CycleToolCall) -> str:
    """Return a tool call in words, and the first line of its result."""
    words = (
        truncate_line(one.progress_text)
        if one.progress_text and one.progress_text != one.call.tool
        else format_signature(one.call)
    )
    if one.result is None:
        return f"! {words} -> {NO_RESULT[one.started]}"
    mark = "! " if one.result.failed else ""
    return f"{mark}{words} -> {first_line(one.result.text, 80)}"


def format_signature(call: ToolCall) -> str:
    """Format a tool and its first argument: ``slack_read(#engineering)``."""
    first = next(iter(call.arguments.values()), "")
    return f"{truncate_line(call.tool, 40)}({truncate_line(str(first), 40)})"


def format_compaction(compressed: events.HistoryCompacted) -> str:
    """Format as ``removed the 3 oldest turns from the history (4 read_file, 1 search): 18k -> 9k tokens``.

    Logs of earlier versions state only that the history was shortened.
    """
    turns = "the oldest turn" if compressed.turns == 1 else f"the {compressed.turns} oldest turns"
    media = "1 image or file" if compressed.media == 1 else f"{compressed.media} images and files"
    gone = [what for what, count in ((turns, compressed.turns), (media, compressed.media)) if count]
    calls = ", ".join(f"{count} {truncate_line(tool, 40)}" for tool, count in compressed.tools.items())
    sizes = (
        f": {format_tokens(compressed.before)} -> {format_tokens(compressed.after)} tokens" if compressed.before else ""
    )
    done = f"removed {' and '.join(gone)} from the history" if gone else "shortened the history"
    return f"{done}{f' ({calls})' if calls else ''}{sizes}"


def indent_lines(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines, indented one level further."""
    return (f"{INDENT}{line}" for line in lines)
