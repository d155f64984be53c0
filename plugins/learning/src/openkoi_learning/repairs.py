"""Learn from findings: the advice, whether it was followed, and whether the result with it was accepted.

Advice is verified when its content shows in the next work and its own check turned green. What an accepted result shows
is an opinion with good reasons; what was followed and is gone from the result is not learned.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from openkoi_hookspecs import Evaluation, Finding, LearningStatus
from openkoi_hookspecs.lazy_dataclass import dataclass

from .content import (
    Replacement,
    WorkLine,
    find_content,
    find_replacement,
    find_replacements,
    has_phrase,
    is_shown,
    longest_run,
    names_of,
    new_lines,
    read_line,
    terms_of,
    work_lines,
)
from .entry import FIXED_BY, LearningEntry, Trust, check_subject, shorten
from .entry_subject import limit_subject, places_of, sets_one_of
from .evidence import IterationStep, code_in, evaluated_steps, is_verified, own_checks
from .lesson import Lesson, make_entry, make_evidence
from .text_similarity import ASSIGNED, MARKED_NAME, marked_names, strip_marks
from .thresholds import MIN_SUBJECT_WORDS, OPINION_WORTH, OUTCOME_WORTH, VERIFIED_WORTH

MAX_VALUE_CHARACTERS = 40  # of a value that a line sets; a longer one is an expression (estimate, see CURVES.md)
MIN_COMMON_WORDS = (
    2  # words that a finding shares with the line that fixed it, if others are new (estimate, see CURVES.md)
)


@dataclass(frozen=True, slots=True)
class Repair:
    """A finding, the step after it, and the lines of the works before and after, and of the result."""

    lesson: Lesson
    number: int
    finding: Finding
    step: IterationStep
    before: Sequence[WorkLine]
    after: Sequence[WorkLine]
    kept: Sequence[WorkLine]

    @property
    def is_accepted(self) -> bool:
        """Whether the result was accepted, so that what it shows is right."""
        return self.lesson.result.accepted is True

    @property
    def written_lines(self) -> Sequence[WorkLine]:
        """The lines that are new in the work after."""
        return new_lines(self.before, self.after)

    def content_of(self, advice: str) -> tuple[str, ...]:
        """Return the content of advice that a new line contains."""
        title = "" if advice == self.finding.title else self.finding.title
        about = terms_of(title) | terms_of(self.lesson.task)
        return find_content(advice, self.written_lines, [*self.before, read_line(title)], about)

    def content_of_line(self, line: str) -> tuple[str, ...]:
        """Return the content of a new line: the value that it sets, its names, or what goes beyond its subject."""
        if ASSIGNED.match(line) and len(value := strip_marks(line)) <= MAX_VALUE_CHARACTERS:
            return (value,)
        if names := names_of(line):
            return tuple(sorted(names))
        return longest_run(line, terms_of(f"{self.finding.title} {self.lesson.task}"))

    @property
    def words(self) -> Set[str]:
        """The words of the finding."""
        return terms_of(f"{self.finding.title} {self.finding.detail} {self.finding.fix}")

    def is_new(self, content: Sequence[str]) -> bool:
        """Return whether the work before did not show a content, or not where the next one sets a name to it.

        The finding must have that name: another line says nothing of it.
        """
        if not is_shown(content, self.before):
            return True
        changed = find_replacements(self.before, self.after)
        mine = (one for one in changed if one.set_name and sets_one_of(read_line(one.new), self.words))
        return any(Replacement(one.new, one.old).drops(content) for one in mine)

    def was_followed(self, content: Sequence[str]) -> bool:
        """Return whether the next work shows a content that is new there."""
        return is_shown(content, self.written_lines) and self.is_new(content)


def find_repairs(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield the entries from the findings of a run.

    Advice that no work shows is learned where no work shows any: else it is a platitude, or was ignored.
    """
    repairs = list(all_repairs(lesson))
    followed = [(one, *found) for one in repairs if (found := followed_advice(one))]
    yield from (entry for one in followed if (entry := judge_advice(*one)))
    if not followed or lesson.result.accepted is not True:
        done = {id(one) for one, _, _ in followed}
        rest = [one for one in repairs if id(one) not in done]
        yield from (entry for one in rest if (entry := keep_opinion(one)))


def all_repairs(lesson: Lesson) -> Iterator[Repair]:
    """Yield each finding with the step after it."""
    kept = work_lines(lesson.result.best.work)
    for number, step in evaluated_steps(lesson.result.iterations):
        before, after = work_lines(step.before.work), work_lines(step.after.work)
        for finding in findings_of(step.old):
            yield Repair(lesson, number, finding, step, before, after, kept)
    yield from find_unanswered(lesson)


def find_unanswered(lesson: Lesson) -> Iterator[Repair]:
    """Yield the findings that remained at the end; they are about the last work, even if earlier work was better."""
    last = lesson.result.iterations[-1]
    lines = work_lines(last.work)
    if lesson.result.accepted is not True and last.evaluation is not None:
        step = IterationStep(last, last.evaluation, last, last.evaluation)
        for finding in findings_of(last.evaluation):
            yield Repair(lesson, len(lesson.result.iterations), finding, step, lines, lines, lines)


def findings_of(judged: Evaluation) -> Sequence[Finding]:
    """Return the findings, or else the suggestion."""
    return judged.open or ((Finding("", fix=judged.suggestion),) if judged.suggestion else ())


def followed_advice(repair: Repair) -> tuple[str, tuple[str, ...]] | None:
    """Return the advice that was followed, with its content; without advice, the line that fixed the finding."""
    finding, sure = repair.finding, is_verified(repair.finding, repair.step)
    line = "" if finding.fix or repair.step.broken_checks else fixing_line(repair)
    fixed = fix_by_line(repair, line) if line else None
    if fixed and sure and not MARKED_NAME.search(finding.title):
        return fixed
    named = [one for one in names_of(finding.title) if repair.is_new((one,))]
    silent = not any(one.fix or one.detail for one in repair.step.old.open)
    title = finding.title if named or (silent and not fixed and is_advice(repair)) else ""
    for advice in filter(None, (finding.fix, finding.detail, title)):
        content = repair.content_of(advice)
        if content and repair.was_followed(content):
            return advice, content
    return fixed if sure or not named else None


def is_advice(repair: Repair) -> bool:
    """Return whether a title without names may be an instruction: no new line that shows it sets a name."""
    content = repair.content_of(repair.finding.title)
    return not any(names_of(line.text) for line in repair.written_lines if line.shows(content))


def fix_by_line(repair: Repair, line: str) -> tuple[str, tuple[str, ...]] | None:
    """Return a new line as advice, with what is new in it; nothing if it only sets what was set before."""
    content = repair.content_of_line(line)
    if is_shown(content, repair.before) and not ASSIGNED.match(line):
        content = (line.strip().lower(),)
    if not repair.is_new(content):
        return None
    return f"{FIXED_BY}`{shorten(line, 80)}`", content


def judge_advice(repair: Repair, advice: str, content: tuple[str, ...]) -> LearningEntry | None:
    """Return followed advice as a verified rule or as an opinion; nothing if the result lacks it."""
    if repair.step.broken_checks or not is_shown(content, repair.kept):
        return None
    facts: dict[str, object] = {"base": OUTCOME_WORTH if repair.is_accepted else OPINION_WORTH}
    if is_verified(repair.finding, repair.step):
        facts = {"standing": LearningStatus.ACTIVE, "trust": Trust.CHECK, "base": VERIFIED_WORTH}
    return write_entry(repair, advice, content, facts)


def keep_opinion(repair: Repair) -> LearningEntry | None:
    """Return advice that no work shows as an opinion, if its finding is gone or its outcome is unknown."""
    finding, step = repair.finding, repair.step
    advice = finding.fix or finding.detail
    content = expected_names(advice or finding.title, repair.before)
    advice = advice or (finding.title if content else "")
    known = {one.key for one in step.old.open} - {finding.key}
    gone = step.new is step.old or all(one.key in known for one in step.new.open)  # a new one may be it, reworded
    better = step.new is step.old or step.fixed_checks or step.score_gain > 0
    if not advice or not gone or not better or step.broken_checks or step.new.unavailable_reason:
        return None
    return write_entry(repair, advice, content, {"base": OPINION_WORTH})


def expected_names(text: str, lines: Sequence[WorkLine]) -> tuple[str, ...]:
    """Return the names that a finding marks and its work lacks, if it also marks what the work has instead.

    Where lines set the name that the finding has, they are what it is about.
    """
    names, words = marked_names(text), terms_of(text)
    lines = [line for line in lines if sets_one_of(line, words)] or lines
    missing = tuple(sorted(one for one in names if not is_shown((one,), lines)))
    return missing if len(missing) < len(names) else ()


def write_entry(repair: Repair, advice: str, content: tuple[str, ...], facts: dict[str, object]) -> LearningEntry:
    """Return the entry for advice."""
    proof = make_evidence(repair.lesson, repair.number, repair.finding, repair.step)
    if found := find_replacement(repair.before, repair.after, content, repair.words) or find_setting(repair):
        proof = replace(proof, replaced=shorten(found.old), replacement=shorten(found.new))
    text, checks = advice, own_checks(repair.finding, repair.step.old)
    known = {word for part in content for word in terms_of(part)}
    if advice.startswith(FIXED_BY) and checks:
        text = f"{min(checks)}: {advice}"
    elif repair.finding.title not in ("", advice) and (
        advice.startswith(FIXED_BY) or len(terms_of(advice) - known) < MIN_SUBJECT_WORDS
    ):
        text = f"{advice} ({repair.finding.title})"  # its "not" would deny an advice that came after it
    subject = check_subject(min(checks)) if len(checks) == 1 else ""
    more = {"advice": shorten(advice), "content": content, "subject": subject, **facts}
    entry = make_entry(repair.lesson, "heuristic", text, proof, **more)
    return limit_subject(entry) if places_of(entry) or not shares_check(repair, checks) else replace(entry, subject="")


def shares_check(repair: Repair, checks: Set[str]) -> bool:
    """Return whether another finding is about the same check, which then does not tell them apart."""
    others = (one for one in repair.step.old.open if one.key != repair.finding.key)
    return any(checks & own_checks(one, repair.step.old) for one in others)


def find_setting(repair: Repair) -> Replacement | None:
    """Return the line that sets the name which a finding has, and which no work has changed yet; None of several."""
    found = [line.text for line in repair.before if sets_one_of(line, repair.words)]
    return Replacement(found[0], found[0]) if len(found) == 1 else None


def fixing_line(repair: Repair) -> str:
    """Return the new line of code that a verified finding is about, or the only new one."""
    if not is_verified(repair.finding, repair.step) and len(repair.step.old.open) > 1:
        return ""
    if any(one.key == repair.finding.key for one in repair.step.new.open):
        return ""
    lines = repair.step.added_lines or [line.text for line in repair.written_lines if code_in(line.text)]
    lines = [line for line in lines if not answers_another(repair, line)]
    words = terms_of(f"{repair.finding.title} {repair.finding.detail} {repair.finding.rule}")
    best = max(lines, key=lambda line: len(terms_of(line) & words), default="")
    alone = len(lines) == 1 and (is_verified(repair.finding, repair.step) or not repair.step.new.open)
    wanted = min(MIN_COMMON_WORDS, -(-len(terms_of(repair.finding.title)) // 2))
    return best if alone or len(terms_of(best) & words) >= max(1, wanted) else ""


def answers_another(repair: Repair, line: str) -> bool:
    """Return whether a new line has a name that another finding advises, and that the work before did not have."""
    others = (one for one in repair.step.old.open if one.key != repair.finding.key)
    names = {name for one in others for name in names_of(one.fix or one.detail or one.title)}
    return any(has_phrase(line.lower(), name) and not is_shown((name,), repair.before) for name in names)
