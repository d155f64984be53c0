"""What a finished run taught, told from its iterations by rules: no model is asked. Knows results; knows no ledger.

A repair that the next iteration bears out is active at once. What the documents' three rules notice is only a guess: it
starts on probation, with the confidence they give it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from openkoi_hookspecs import Evaluation, Finding, Iteration, Result, Severity, Standing

from .entry import Entry, Proof, Trust, name_of, short
from .words import PLAIN, Tongue, alike, keys_in, terms

FALL, LITTLE = 0.1, 0.02
REGRESSED, SLOW, RECURRING = 0.7, 0.5, 0.75
CORRECTION = 0.95
TASK = 160
SAME_TITLE = 0.5
ADDED = re.compile(r"^\+(?!\+\+)\s*(\S.*)$", re.MULTILINE)
YES_OR_NO = re.compile(
    r"(?:y|n|yes|no|ok|okay|sure|always|never|allow|deny|stop|continue|go on|\d+)[.!]?", re.IGNORECASE
)
WHAT_NOW = "What should be done?"
REFUSED = re.compile(r"\AAllow (\S+) |\nAllow (\S+) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A run that is over. ``answers`` are what a person was asked and said in it, ``tongue`` is how
    people speak in its project."""

    run: str
    result: Result
    project: str = ""
    at: str = ""
    answers: Sequence[tuple[str, str]] = ()
    tongue: Tongue = PLAIN

    @property
    def task(self) -> str:
        """The task in short."""
        return short(self.result.task.text, TASK)


def extracted(lesson: Lesson) -> list[Entry]:
    """Everything that the rules find."""
    found = [*corrections(lesson), *repairs(lesson), *traps(lesson), *regressions(lesson), *recurring(lesson)]
    return list({entry.id: entry for entry in [*found, *slow(lesson)]}.values())


def noted(lesson: Lesson, kind: str, text: str, proof: Proof, **more: object) -> Entry:
    """An entry from this run."""
    said = short(text)
    facts: dict[str, object] = {
        "when": (lesson.task,),
        "keys": keys_in(" ".join((said, proof.rule, proof.where))),
        "project": lesson.project,
        "category": lesson.result.task.category,
        "proofs": (proof,),
        "since": lesson.at,
        **more,
    }
    return Entry(name_of(kind, said, lesson.project), kind, said, **facts)  # type: ignore[arg-type]  # by field name


def judged(lesson: Lesson) -> Iterator[tuple[int, Iteration, Evaluation, Iteration, Evaluation]]:
    """Each two iterations in a row that both have a score, and the number of the second."""
    for number, (before, after) in enumerate(pairwise(lesson.result.iterations), 1):
        old, new = before.evaluation, after.evaluation
        if old is not None and new is not None and old.score is not None and new.score is not None:
            yield number, before, old, after, new


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


def traps(lesson: Lesson) -> Iterator[Entry]:
    """Advice that was followed, and turned a check red that was green."""
    for number, _, old, after, new in judged(lesson):
        red = sorted(new.failing & {check.name for check in old.checks if check.passed})
        if red and (advice := followed(after, red[0])):
            proof = proof_of(lesson, number, None, after, old, new)
            text = f"Do not: {short(advice, 140)} (it turned {red[0]} red)"
            yield noted(lesson, "anti_pattern", text, proof, standing=Standing.ACTIVE, trust=Trust.CHECK, base=0.8)


def regressions(lesson: Lesson) -> Iterator[Entry]:
    """Advice that was followed, and made the score fall: perhaps a judge's mood."""
    for number, _, old, after, new in judged(lesson):
        fell = (old.score or 0.0) - (new.score or 0.0) > FALL
        if fell and not new.failing - old.failing and (advice := followed(after, "")):
            proof = proof_of(lesson, number, None, after, old, new)
            text = f"Perhaps do not: {short(advice, 150)} (the score fell)"
            yield noted(lesson, "anti_pattern", text, proof, base=REGRESSED)


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


def followed(iteration: Iteration, check: str) -> str:
    """The advice that did it: what an iteration was told about the check, or the only thing that it was told."""
    fixes = [finding.fix for finding in iteration.plan.feedback if finding.fix]
    advice = list(dict.fromkeys(filter(None, (iteration.plan.suggestion, *fixes))))
    about = [one for one in advice if terms(one) & terms(check)]
    return about[0] if about else advice[0] if len(advice) == 1 and not iteration.plan.feedback[1:] else ""


def slow(lesson: Lesson) -> Iterator[Entry]:
    """Three iterations or more, of which the last gained next to nothing."""
    scores = [one.evaluation.score for one in lesson.result.iterations if one.evaluation]
    known = [score for score in scores if score is not None]
    if len(known) >= 3 and 0 <= known[-1] - known[-2] < LITTLE:
        what = lesson.result.task.category or "these"
        text = f"Tasks like {what} gain little after {len(known) - 1} iterations: aim for the whole in the first."
        proof = Proof(run=lesson.run, iteration=len(known) - 1)
        yield noted(lesson, "heuristic", text, proof, base=SLOW, origin="pattern")


def recurring(lesson: Lesson) -> Iterator[Entry]:
    """Two blockers or more of one kind: the first three are named."""
    found = [
        finding for one in lesson.result.iterations if one.evaluation is not None for finding in one.evaluation.blockers
    ]
    for rule, count in Counter(finding.rule for finding in found if finding.rule).items():
        titles = list(dict.fromkeys(finding.title for finding in found if finding.rule == rule))[:3]
        where = next(finding.key[1] for finding in found if finding.rule == rule)
        if count >= 2:
            text = f"Check {rule} before answering; it was blocked by: {'; '.join(titles)}"
            proof = Proof(run=lesson.run, rule=rule, where=where, finding=titles[0])
            yield noted(lesson, "anti_pattern", text, proof, base=RECURRING, origin="pattern")


def corrections(lesson: Lesson) -> Iterator[Entry]:
    """What a person said in words of their own: what to do, or why not.

    The answer to a question that a model made up is worth no more than the question.
    """
    for question, answer in lesson.answers:
        said = answer.strip().removeprefix("no:").strip()
        if not said or YES_OR_NO.fullmatch(said):
            continue
        refused = REFUSED.search(question)
        tool = next(filter(None, refused.groups()), "") if refused else ""
        asked = short(question.partition("\n")[0], 120)
        proof = Proof(run=lesson.run, finding=asked)
        if not tool and not question.endswith(WHAT_NOW):
            text = f'Asked "{asked}", the person said: {said}'
            yield noted(lesson, "preference", text, proof, origin="user", base=RECURRING)
            continue
        text = f"When about to use {tool}: {said}" if tool else said
        yield noted(
            lesson,
            "preference",
            text,
            proof,
            origin="user",
            trust=Trust.PERSON,
            standing=Standing.ACTIVE,
            base=CORRECTION,
        )


def proof_of(
    lesson: Lesson, number: int, finding: Finding | None, after: Iteration, old: Evaluation, new: Evaluation
) -> Proof:
    """Where it was seen, and what the checks said before and after."""
    rule, where, title = finding.key if finding else ("", "", "")
    return Proof(
        run=lesson.run,
        iteration=number,
        rule=rule,
        where=where,
        finding=title,
        diff=sha256(after.work.diff.encode("utf-8", "replace")).hexdigest()[:12] if after.work.diff else "",
        before=tuple(sorted(old.failing)),
        after=tuple(sorted(new.failing)),
    )


def change(finding: Finding, before: Iteration, after: Iteration) -> str:
    """What an iteration wrote that the one before it had not: the line that a finding speaks of, or the only one."""
    old = set(ADDED.findall(before.work.diff))
    lines = [one for one in ADDED.findall(after.work.diff) if one not in old]
    words = terms(f"{finding.title} {finding.detail} {finding.rule}")
    best = max(lines, key=lambda line: len(terms(line) & words), default="")
    told = best and (len(lines) == 1 or terms(best) & words)
    return f"mended by `{short(best, 80)}`" if told else ""


def passed(result: Result) -> bool | None:
    """Whether the first attempt was good enough; None when nobody judged it."""
    first = result.iterations[0].evaluation
    if first is None or first.score is None:
        return None
    return not first.failing and not first.blockers and first.score >= result.task.limits.quality


def first_findings(result: Result) -> Sequence[Finding]:
    """What was found wrong with the first attempt."""
    first = result.iterations[0].evaluation
    return [one for one in first.findings if one.severity is not Severity.SUGGESTION] if first else ()
