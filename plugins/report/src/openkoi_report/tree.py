"""The tree of a run's cycles as lines that a person reads. Pure; knows words, and no terminal."""

from collections.abc import Iterator

from openkoi_hookspecs import ToolCall, events

from .costs import NOTHING
from .cycles import Called, Cycle, CycleTree, Happening, Questioned, Round
from .figures import first_line, tokens_text, truncate_line

STEP = "  "
NAMED = 8
NO_RESULT = {True: "no result: what it did is not known", False: "it was not begun"}
SILENT = {True: "(no words)", False: "(no answer)"}


def tree_lines(tree: CycleTree) -> Iterator[str]:
    """All of it, and what it cost."""
    yield f"{truncate_line(tree.task)} ({tree.run[:NAMED]})"
    yield from body(tree)
    yield tree.costs.summary
    yield from tree.costs.lines


def body(tree: CycleTree) -> Iterator[str]:
    """Its iterations, and how it ended."""
    for each in tree.rounds:
        if not each.is_empty:
            yield from round_lines(each)
    yield truncate_line(tree.ended, 160) or "it did not end"


def round_lines(each: Round) -> Iterator[str]:
    """One iteration: what was said before its cycles, the cycles, and what came of them."""
    yield f"iteration {each.number + 1}"
    yield from indent_lines(happening for one in each.happened for happening in happening_lines(one))
    for cycle in each.cycles:
        yield from indent_lines(cycle_lines(cycle))
    yield from indent_lines(outcome(each))


def cycle_lines(cycle: Cycle) -> Iterator[str]:
    """One cycle: the model's first line, what it cost, and what happened."""
    said = first_line(cycle.text) or SILENT[cycle.heard]
    paid = "" if cycle.cost == NOTHING else f"  [{cycle.cost.text}]"
    yield f"cycle {cycle.number + 1}  {said}{paid}"
    yield from indent_lines(happening for one in cycle.happened for happening in happening_lines(one))


def outcome(each: Round) -> Iterator[str]:
    """What ended the work, how it was judged, and what was decided."""
    iteration = each.iteration
    if iteration.terminated_by:
        yield f"ended: {truncate_line(iteration.terminated_by)}"
    if iteration.evaluation:
        yield "no score" if iteration.score is None else f"score: {iteration.score:.2f}"
    if each.aside != NOTHING:
        yield f"beside the cycles  [{each.aside.text}]"
    if iteration.decision:
        yield f"{iteration.decision.action}: {truncate_line(iteration.decision.reason)}"


def happening_lines(one: Happening) -> Iterator[str]:
    match one:
        case Called():
            yield called_line(one)
        case Questioned():
            yield f"? {last_line(one.text)} -> {reply_to(one)}"
        case events.HistoryCompacted():
            yield f"~ {compaction_text(one)}"
        case CycleTree():
            yield f"part: {truncate_line(one.task)} ({one.run[:NAMED]})"
            yield from indent_lines(body(one))


def last_line(text: str) -> str:
    """What a question asks: reasons stand before it."""
    *_, last = text.strip().splitlines() or [""]
    return truncate_line(last, 160)


def reply_to(one: Questioned) -> str:
    """Return the user's answer, or that there was none."""
    if one.answer is not None:
        return first_line(one.answer) or "(nothing)"
    return "no answer" if one.replied else "not answered yet"


def called_line(one: Called) -> str:
    """What was called, in a person's words if it has some, and the first line of what it brought."""
    words = truncate_line(one.doing) if one.doing and one.doing != one.call.tool else signature(one.call)
    if one.result is None:
        return f"! {words} -> {NO_RESULT[one.begun]}"
    mark = "! " if one.result.failed else ""
    return f"{mark}{words} -> {first_line(one.result.text, 80)}"


def signature(call: ToolCall) -> str:
    """``slack_read(#engineering)``: a tool and what it is given first."""
    first = next(iter(call.arguments.values()), "")
    return f"{truncate_line(call.tool, 40)}({truncate_line(str(first), 40)})"


def compaction_text(compressed: events.HistoryCompacted) -> str:
    """``removed the 3 oldest turns from the history (4 read_file, 1 search): 18k -> 9k tokens``.

    Logs of earlier versions say only that it was shortened.
    """
    turns = "the oldest turn" if compressed.turns == 1 else f"the {compressed.turns} oldest turns"
    media = "1 image or file" if compressed.media == 1 else f"{compressed.media} images and files"
    gone = [what for what, count in ((turns, compressed.turns), (media, compressed.media)) if count]
    calls = ", ".join(f"{count} {truncate_line(tool, 40)}" for tool, count in compressed.tools.items())
    sizes = f": {tokens_text(compressed.before)} -> {tokens_text(compressed.after)} tokens" if compressed.before else ""
    done = f"removed {' and '.join(gone)} from the history" if gone else "shortened the history"
    return f"{done}{f' ({calls})' if calls else ''}{sizes}"


def indent_lines(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines, indented one level further."""
    return (f"{STEP}{line}" for line in lines)
