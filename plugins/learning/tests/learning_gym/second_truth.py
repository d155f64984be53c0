"""Parse texts in a world of the second generator, and know its truth."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

from learning_gym.second_words import Condition, Domain, Subject
from openkoi_hookspecs import Finding
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.world import Claim, GymTask

UNLESS = ("except", "unless", "other than", "apart from")
AGAINST = (
    "wrong", "incorrect", "unexpected", "inappropriate", "unsuitable", "avoid", "do not use", "don't use", "never use",
    "do not accept", "rather than", "instead of", "in place of", "replace", "found", "but got",
)  # fmt: skip
TOUCHING_AGAINST = ("not", "from", "got", "over", "never", "no longer")
FOR = (
    "use", "choose", "pick", "go with", "prefer", "take", "set it to", "switch to", "should be", "expected", "must be",
    "must read", "with",
)  # fmt: skip
AFTER_AGAINST = (
    "was rejected", "is a leftover", "is out of line", "!=", "is wrong", "is not accepted", "is outdated", "->", "→",
)  # fmt: skip
AFTER_FOR = ("is required", "is the agreed", "is right", "is what we use")
QUOTES = " `'\"“”‘’()*_"  # noqa: RUF001 - people and models write curly quotes
BETWEEN = " / "


class Sort(Enum):
    """The role of a word in a text."""

    NAME = auto()
    VALUE = auto()
    MARK = auto()
    UNLESS = auto()
    FOR = auto()
    AGAINST = auto()
    TOUCHING_AGAINST = auto()
    AFTER_FOR = auto()
    AFTER_AGAINST = auto()


WORDS = {
    Sort.UNLESS: UNLESS,
    Sort.FOR: FOR,
    Sort.AGAINST: AGAINST,
    Sort.TOUCHING_AGAINST: TOUCHING_AGAINST,
    Sort.AFTER_FOR: AFTER_FOR,
    Sort.AFTER_AGAINST: AFTER_AGAINST,
}
Rights: TypeAlias = Mapping[tuple[str, str], str]
CUES = {Sort.FOR, Sort.AGAINST, Sort.TOUCHING_AGAINST}


@dataclass(frozen=True, slots=True)
class Token:
    """A significant word of a text, and its position."""

    sort: Sort
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How the tasks of a world are built: which subjects they need, and which of those have an exception."""

    domain: Domain
    projects: tuple[str, ...]
    wide: tuple[str, ...]
    topics: Mapping[str, tuple[str, ...]]
    exceptions: Mapping[str, Condition]

    @property
    def used(self) -> tuple[Subject, ...]:
        """Return the subjects that some task needs."""
        names = {*self.wide, *(name for needed in self.topics.values() for name in needed)}
        return tuple(one for one in self.domain.subjects if one.name in names)

    def base_needs(self, task: GymTask) -> tuple[str, ...]:
        """Return the subjects of a task, without exceptions."""
        own = next((needed for topic, needed in self.topics.items() if topic in task.text), ())
        return (*self.wide, *own)

    def in_task(self, name: str, task: GymTask) -> str:
        """Return a subject as it is in a task: the exception where that applies."""
        condition = self.exceptions.get(name)
        return special(name, condition) if condition and condition.applies(task.text) else name


def special(name: str, condition: Condition) -> str:
    """Return the name of a subject's exception."""
    return f"{name}{BETWEEN}{condition.marks[0]}"


def base_of(subject: str) -> str:
    """Return the subject that an exception is of."""
    return subject.partition(BETWEEN)[0]


class Reader:
    """Understand lines of text about the subjects of a world."""

    def __init__(self, plan: Plan) -> None:
        """Collect the significant words."""
        self.plan = plan
        self.named: dict[str, str] = {}
        self.valued: dict[str, dict[str, str]] = {}
        self.sorts: dict[str, Sort] = {word: sort for sort, words in WORDS.items() for word in words}
        for subject in plan.used:
            self._add(subject)
        marks = [mark for one in plan.domain.conditions for mark in one.marks]
        self.sorts.update(dict.fromkeys(marks, Sort.MARK))
        longest_first = sorted(self.sorts, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def _add(self, subject: Subject) -> None:
        for name in (*subject.names, subject.name.replace(" ", "_"), subject.code):
            self.named[name.casefold()] = subject.name
            self.sorts[name.casefold()] = Sort.NAME
        for value in subject.values:
            self.valued.setdefault(value.casefold(), {})[subject.name] = value
            self.sorts[value.casefold()] = Sort.VALUE

    def claims(self, text: str, task: GymTask | None = None) -> frozenset[Claim]:
        """Return the claims in a text, line by line."""
        return frozenset(claim for line in text.splitlines() for claim in self._line_claims(normal(line), task))

    def about(self, text: str) -> str:
        """Return the subject that a text is about; empty if it is about none."""
        tokens = self._tokens(normal(text))
        named = next((self.named[one.word] for one in tokens if one.sort is Sort.NAME), "")
        return named or next((base_of(one.subject) for one in self.claims(text)), "")

    def _tokens(self, line: str) -> list[Token]:
        return [Token(self.sorts[one[0]], one[0], one.start(), one.end()) for one in self.pattern.finditer(line)]

    def _line_claims(self, line: str, task: GymTask | None) -> Iterator[Claim]:
        tokens = self._tokens(line)
        for index, token in enumerate(tokens):
            name = self._name_of(token, tokens) if token.sort is Sort.VALUE else ""
            subject = self._find_subject(name, tokens, task) if name else ""
            if subject:
                yield Claim(subject, self.valued[token.word][name], is_denied(line, tokens, index))

    def _name_of(self, value: Token, tokens: Sequence[Token]) -> str:
        """Return the subject that a value is of: the nearest one named, where several have the value."""
        having = self.valued[value.word]
        if len(having) == 1:
            return next(iter(having))
        names = [one for one in tokens if one.sort is Sort.NAME and self.named[one.word] in having]
        nearest = min(names, key=lambda one: abs(one.start - value.start), default=None)
        return self.named[nearest.word] if nearest else ""

    def _find_subject(self, name: str, tokens: Sequence[Token], task: GymTask | None) -> str:
        """Return the subject or its exception, whichever a line is about; empty if not about this task."""
        condition = self.plan.exceptions.get(name)
        if condition is None:
            return name
        applies = task is not None and condition.applies(task.text)
        at = next((i for i, one in enumerate(tokens) if one.word in condition.marks), None)
        if at is None:
            return special(name, condition) if applies else name
        if at and tokens[at - 1].sort is Sort.UNLESS:
            return "" if applies else name
        return special(name, condition) if applies or task is None else ""


def normal(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(text.casefold().split())


def is_denied(line: str, tokens: Sequence[Token], index: int) -> bool:
    """Return whether a line says not to use the value at an index: by what follows, else by the last cue before."""
    token = tokens[index]
    after = tokens[index + 1] if index + 1 < len(tokens) else token
    if after.sort in (Sort.AFTER_FOR, Sort.AFTER_AGAINST) and touch(line, token, after):
        return after.sort is Sort.AFTER_AGAINST
    for cue in reversed(tokens[:index]):
        if cue.sort is Sort.VALUE:
            return False
        if cue.sort is Sort.TOUCHING_AGAINST and not touch(line, cue, token):
            continue
        if cue.sort in CUES:
            return cue.sort is not Sort.FOR
    return False


def touch(line: str, left: Token, right: Token) -> bool:
    """Return whether nothing but quotes stands between two words."""
    return not line[left.end : right.start].strip(QUOTES)


class SecondTruth:
    """What is right in a world, now and after its drift."""

    def __init__(self, reader: Reader, rights: Rights, *, later: Rights, wrong: float) -> None:
        """Start with what is right before the drift."""
        self.reader, self.plan = reader, reader.plan
        self._now, self._later, self._wrong = dict(rights), dict(later), wrong

    @property
    def wrong_advice(self) -> float:
        """Return the share of findings that advise a wrong value."""
        return self._wrong

    @property
    def noise(self) -> float:
        """Return 0: this evaluator never calls a right value wrong."""
        return 0.0

    def drift(self) -> None:
        """Switch to the truth after the drift."""
        self._now.update(self._later)

    def needs(self, task: GymTask) -> Sequence[str]:
        """Return the subjects that a task needs."""
        return [self.plan.in_task(name, task) for name in self.plan.base_needs(task)]

    def claims(self, text: str, task: GymTask | None = None) -> Collection[Claim]:
        """Return the claim in a text."""
        return self.reader.claims(text, task)

    def subject_of(self, finding: Finding, task: GymTask) -> str:
        """Return the subject of this task that a finding is about; empty if the finding is a platitude."""
        name = self.reader.about(" ".join((finding.rule, finding.title, finding.detail, finding.fix)))
        return self.plan.in_task(name, task) if name else ""

    def right(self, project: str, subject: str) -> str:
        """Return the value that is right in a project now; outside any project, what is right in all of them."""
        if project in self.plan.projects:
            return self._now.get((project, subject), "")
        values = {self._now.get((one, subject), "") for one in self.plan.projects}
        return values.pop() if len(values) == 1 else ""

    def wrong(self, project: str, subject: str) -> str:
        """Return a value that is not right now, with the exception or without."""
        base = next(one for one in self.plan.used if one.name == base_of(subject))
        right = {value for (home, one), value in self._now.items() if home == project and base_of(one) == base.name}
        return next(one for one in base.values if one not in right)

    def set_right(self, project: str, subject: str, value: str) -> None:
        """Make another value right."""
        self._now[project, subject] = value

    def passes(self, task: GymTask, work: str) -> bool:
        """Return whether a work handles every subject of its task right."""
        return all(
            find_value(self.plan.domain, base_of(one), work).value == self.right(task.project, one)
            for one in self.needs(task)
        )

    def misleads(self, task: GymTask, line: str) -> bool:
        """Return whether a model that follows a line in this task does something wrong."""
        needed = set(self.needs(task))
        return any(
            (one.value == self.right(task.project, one.subject)) is one.denied
            for one in self.claims(line, task)
            if one.subject in needed
        )

    def advise(self, subject: str, value: str) -> str:
        """Return a line that says to use a value for a subject, and when."""
        name = base_of(subject)
        condition = self.plan.exceptions.get(name)
        if condition is None:
            return f"Use `{value}` as the {name}."
        if subject == name:
            return f"Use `{value}` as the {name}, except {condition.advice[0]}."
        return f"{capital(condition.advice[0])}, use `{value}` as the {name}."


@dataclass(frozen=True, slots=True)
class Found:
    """A value that a work shows, and the number of its line from one on."""

    value: str = ""
    line: int = 1


def find_value(domain: Domain, name: str, work: str) -> Found:
    """Find the value of a subject in a work."""
    subject = next(one for one in domain.subjects if one.name == name)
    for number, line in enumerate(work.splitlines(), 1):
        low = line.casefold()
        if name in low or name.replace(" ", "_") in low:
            values = sorted(subject.values, key=len, reverse=True)
            rest = low.replace(name, "", 1)
            return Found(next((one for one in values if one.casefold() in rest), ""), number)
    return Found()


def capital(text: str) -> str:
    """Return a text with a capital letter first."""
    return text[:1].upper() + text[1:]
