"""What was found wrong and is gone in the next iteration, with what mended it. Knows results; knows no ledger."""

import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Evaluation, Finding, Iteration, Standing

from .entry import Entry, Trust, short
from .lesson import Lesson, judged, noted, proof_of
from .words import alike, terms

SAME_TITLE = 0.5
ADDED = re.compile(r"^\+(?!\+\+)\s*(\S.*)$", re.MULTILINE)


def repairs(lesson: Lesson) -> Iterator[Entry]:
    """Findings that are gone after their fix, while nothing else broke."""
    for number, before, old, after, new in judged(lesson):
        mended = bool(old.failing - new.failing)
        if new.failing - old.failing or not (mended or (new.score or 0.0) > (old.score or 0.0)):
            continue
        for finding in found_in(old):
            how = finding.fix or change(finding, before, after)
            if how and not still_open(finding, old.open, new.open) and not reworded(finding, old, new):
                proof = proof_of(lesson, number, finding, after, old, new)
                trust = Trust.CHECK if mended else Trust.MODEL
                base = 0.8 if mended else 0.6
                text = f"{finding.title}: {how}" if finding.title else how
                facts = {"advice": short(how), "standing": Standing.ACTIVE, "trust": trust, "base": base}
                yield noted(lesson, "heuristic", text, proof, **facts)


def found_in(judged: Evaluation) -> Sequence[Finding]:
    """What was found wrong; where nothing was, what was suggested instead."""
    return judged.open or ((Finding("", fix=judged.suggestion),) if judged.suggestion else ())


def still_open(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Whether a finding is there again, in whatever words.

    It is known by its rule and file, unless several things were found by that rule at once; then by its title.
    """
    alone = finding.rule and sum(one.key[:2] == finding.key[:2] for one in before) == 1
    if alone:
        return any(one.key[:2] == finding.key[:2] for one in after)
    return any(alike(one.title, finding.title) >= SAME_TITLE for one in after)


def reworded(finding: Finding, old: Evaluation, new: Evaluation) -> bool:
    """Whether a finding may be there still, in words that nobody can tell: as one that looks new."""
    if finding.rule and sum(one.key[:2] == finding.key[:2] for one in old.open) == 1:
        return False
    if any(terms(check) & terms(said(finding)) for check in old.failing - new.failing):
        return False
    known = [one for one in old.open if one is not finding]
    return any(not any(alike_enough(one, found) for one in known) for found in new.open)


def alike_enough(known: Finding, found: Finding) -> bool:
    """Whether two findings are one, as far as rules and words can tell."""
    return (known.rule and known.rule == found.rule) or alike(said(known), said(found)) >= SAME_TITLE


def said(finding: Finding) -> str:
    """All that is said of a finding."""
    return f"{finding.title} {finding.detail} {finding.fix}"


def change(finding: Finding, before: Iteration, after: Iteration) -> str:
    """What an iteration wrote that the one before it had not: the line that a finding speaks of, or the only one."""
    old = set(ADDED.findall(before.work.diff))
    lines = [one for one in ADDED.findall(after.work.diff) if one not in old]
    words = terms(f"{finding.title} {finding.detail} {finding.rule}")
    best = max(lines, key=lambda line: len(terms(line) & words), default="")
    told = best and (len(lines) == 1 or terms(best) & words)
    return f"mended by `{short(best, 80)}`" if told else ""
