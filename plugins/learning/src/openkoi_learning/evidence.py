"""Verify findings: the finding's own check passes after a change that touches its subject.

A finding's subject is a check, a rule in a file, or a place in a file. Words shared by a task, a title and an advice
prove nothing.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from openkoi_base.files.diffs import split_by_file
from openkoi_hookspecs import Check, Evaluation, Finding, Iteration
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .content import terms_of
from .text_similarity import contains_names, extract_details

CHANGED = lazy_pattern(r"^[+-](?!\+\+ |-- )[ \t]*(\S.*)$", re.MULTILINE)
ADDED = lazy_pattern(r"^\+(?!\+\+ )[ \t]*(\S.*)$", re.MULTILINE)
PROSE = lazy_pattern(r"\"[^\"]*(?:\s[^\"\s]+){3,}\"|'[^']*(?:\s[^'\s]+){3,}'")
CODE = lazy_pattern(r"[=(){}\[\];]|->|^(?:return|import|from|del|raise|yield|else|try)\b|^[\w.\-\"']+:(?:\s\S+){0,3}$")
COMMENT = lazy_pattern(r"(?:^|\s)(?:#|//|--\s|/\*|<!--|\"\"\"|''').*$|^\*.*$")
TEST = lazy_pattern(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)(?:test_|conftest)|[._](?:test|spec)\.\w+$")
SENTENCE = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
MAX_LINE_DISTANCE = 3  # lines between two places of one region (estimate, see CURVES.md)
MIN_SHARE = 0.5  # share of an advice's words that the work contains if it followed the advice (estimate, see CURVES.md)


@dataclass(frozen=True, slots=True)
class IterationStep:
    """Two consecutive iterations that were evaluated."""

    before: Iteration
    old: Evaluation
    after: Iteration
    new: Evaluation

    @property
    def changed_files(self) -> frozenset[str]:
        """Files in which the second iteration differs from the first."""
        then, now = split_by_file(self.before.work.diff), split_by_file(self.after.work.diff)
        return frozenset(path for path in {*then, *now} if then.get(path) != now.get(path))

    @property
    def is_answer(self) -> bool:
        """Whether the work is an answer: its text changed, but no file."""
        return not (self.before.work.diff or self.after.work.diff) and self.before.work.text != self.after.work.text

    @property
    def fixed_checks(self) -> frozenset[str]:
        """Required checks that failed and pass now; one that did not run again did not pass."""
        return self.old.failing & {check.name for check in self.new.checks if check.passed}

    @property
    def broken_checks(self) -> frozenset[str]:
        """The required checks that fail now and did not before."""
        return self.new.failing - self.old.failing

    @property
    def score_gain(self) -> float:
        """Increase of the judges' score, 0.0 if either has none."""
        old, new = self.old.score, self.new.score
        return new - old if old is not None and new is not None else 0.0

    @property
    def added_lines(self) -> list[str]:
        """Lines of code that the second iteration added, without comments."""
        known = set(ADDED.findall(self.before.work.diff))
        lines = (code_in(line) for line in ADDED.findall(self.after.work.diff) if line not in known)
        return [line for line in lines if line]

    @property
    def changed_text(self) -> str:
        """Every line in which the two diffs differ, and the file names."""
        then, now = (set(CHANGED.findall(iteration.work.diff)) for iteration in (self.before, self.after))
        return "\n".join([*sorted(then ^ now), *sorted(self.changed_files)])


def code_in(line: str) -> str:
    """Return the code in a line, without comments and sentences in strings: those are opinions."""
    code = PROSE.sub('"…"', COMMENT.sub("", line)).strip()
    return code if CODE.search(code) else ""


def is_verified(finding: Finding, step: IterationStep) -> bool:
    """Return whether the finding's subject passes now, after a change that touches it."""
    own = own_checks(finding, step.old)
    if own:
        files = {check.name: check.file for check in step.old.checks}
        return own <= step.fixed_checks and (
            (step.is_answer and not finding.where and not any(files[check] for check in own))
            or all(touches_subject(finding, files[check] or check, step.changed_files) for check in own)
        )
    return is_cleared(finding, step) and finding.key[1] in step.changed_files


def own_checks(finding: Finding, judged: Evaluation) -> frozenset[str]:
    """Return the failing checks that a finding reports: the one it names, or the one that failed in the same place.

    Only checks of the evaluator that reported the finding count: what a judge says about a failing test is an opinion.
    """
    failing = {
        check.name
        for check in judged.checks
        if check.required and not check.passed and is_same_evaluator(check, finding)
    }
    if finding.rule in failing:
        return frozenset({finding.rule})
    near = {one.rule for one in judged.findings if one.rule in failing and same_place(one.where, finding.where)}
    return frozenset(near) if len(near) == 1 else frozenset()


def is_same_evaluator(check: Check, finding: Finding) -> bool:
    """Return whether the evaluator that reported a finding also reported this check."""
    return check.evaluator == finding.evaluator


def same_place(one: str, other: str) -> bool:
    """Return whether two places are near each other in one file."""
    (path, line), (its, where) = parse_place(one), parse_place(other)
    return bool(path) and path == its and line > 0 and where > 0 and abs(line - where) <= MAX_LINE_DISTANCE


def parse_place(where: str) -> tuple[str, int]:
    """Split a place into a file and a line; 0 if it names no line."""
    path, _, rest = where.partition(":")
    line = rest.partition(":")[0]
    return path, int(line) if line.isdecimal() else 0


def is_cleared(finding: Finding, step: IterationStep) -> bool:
    """Return whether a checker reported this rule for this file before and no longer does.

    A judge's findings are not in a checker's output.
    """
    rule, path, _ = finding.key
    if not (rule and path):
        return False
    if not any(is_same_evaluator(check, finding) for check in step.old.checks):
        return False
    return is_printed(finding, step.old) and not any(one.key[:2] == (rule, path) for one in step.new.findings)


def is_printed(finding: Finding, judged: Evaluation) -> bool:
    """Return whether the output of the checks has a finding's location and rule on one line."""
    start = f"{finding.where} {finding.rule} "
    return any(line.strip().startswith(start) for line in judged.log.splitlines())


def touches_subject(finding: Finding, check: str, changed: frozenset[str]) -> bool:
    """Return whether a change touches a check's subject: a finding's file, or the code that a test tests.

    ``check`` is the file that defines it, or its name. A test whose own file changed may only require less now.
    """
    own, path = check.partition("::")[0], finding.key[1]
    tests = {own, *([path] if TEST.search(path) else [])}
    if changed & tests:
        return False
    if path and path not in tests:
        return path in changed
    return any(not TEST.search(one) for one in changed)


def followed_sentences(advice: str, written: str) -> str:
    """Return the sentences of advice whose content the written text contains."""
    return " ".join(one for one in SENTENCE.split(advice.strip()) if one and is_followed(one, written))


def is_followed(advice: str, written: str) -> bool:
    """Return whether a text contains all names and numbers of an advice or, if it has none, most of its words."""
    known = extract_details(advice)
    if names := known.identifiers | known.numbers:
        return contains_names(names, written)
    words = terms_of(advice)
    return bool(words) and len(words & terms_of(written)) >= MIN_SHARE * len(words)


def evaluated_steps(iterations: Iterable[Iteration]) -> Iterator[tuple[int, IterationStep]]:
    """Yield each two consecutive iterations that were both evaluated, and the number of the second."""
    for number, (before, after) in enumerate(pairwise(iterations), 1):
        old, new = before.evaluation, after.evaluation
        if old is not None and new is not None:
            yield number, IterationStep(before, old, after, new)
