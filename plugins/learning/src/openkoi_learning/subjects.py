"""Detect that entries concern one subject: a result has one of them where an earlier iteration had another."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from openkoi_hookspecs import Result

from .content import Replacement, find_content, find_replacements, is_shown, read_line, terms_of, work_lines
from .entry import LearningEntry
from .entry_subject import lines_about
from .sameness import Relation, compare
from .verdicts import RunVerdicts


def link_subjects(result: Result, known: Sequence[LearningEntry], verdicts: RunVerdicts) -> Iterator[LearningEntry]:
    """Yield entries with another subject: that of the refuted entry in whose place a confirmed one was accepted."""
    refuted = [one for one in known if one.id in verdicts.refuted and one.visible_content]
    confirmed = [one for one in known if one.id in verdicts.confirmed and one.visible_content]
    for new in confirmed if refuted else ():
        lines = replaced_lines(result, new)
        for old in refuted:
            gone = any(line.drops(old.visible_content) for line in lines)
            if gone and old.topic != new.topic and compare(old, new) is not Relation.DISTINCT:
                yield from move_topic(known, old, new)
                return


def find_contents(result: Result, entries: Sequence[LearningEntry], task: str) -> Iterator[LearningEntry]:
    """Yield entries without any evidence so far, with the content that the accepted first iteration shows."""
    lines = work_lines(result.iterations[0].work)
    for one in entries:
        if not (one.visible_content or one.has_no_advice or one.kind == "anti_pattern"):
            about = terms_of(" ".join((task, *(proof.finding for proof in one.proofs if proof.finding != one.advice))))
            if content := find_content(one.stance, lines, about=about):
                yield replace(one, content=content, reason="an accepted result follows this entry")


def replaced_lines(result: Result, entry: LearningEntry) -> list[Replacement]:
    """Return the lines of a run that gave way to one that shows an entry's content."""
    works = [work_lines(one.work) for one in result.iterations]
    changed = (one for before, after in pairwise(works) for one in find_replacements(before, after))
    mine = ((one, lines_about(entry, [read_line(one.new)])) for one in changed)
    return [one for one, lines in mine if is_shown(entry.visible_content, lines)]


def move_topic(known: Sequence[LearningEntry], old: LearningEntry, new: LearningEntry) -> Iterator[LearningEntry]:
    """Yield the entries about one of two subjects with the other: that of a check, or the older one.

    Those that ended move too: what they know about which tasks need it is not lost.
    """
    keeps, moves = (new, old) if new.check else (old, new)
    for one in known:
        if one.topic == moves.topic:
            why = f"has the same subject as {keeps.id}" if one.is_live else one.reason
            yield replace(one, subject=keeps.topic, reason=why)
