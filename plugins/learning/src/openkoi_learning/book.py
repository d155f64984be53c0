"""The ledger as it stands after all that was written down: entries, the runs that saw them, and how those went.

Filled record by record, in the order of the log. Knows no file and decides nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from openkoi_hookspecs import Learning, Record, events

from .credit import Use
from .entry import LearningEntry, entry_of
from .events import Credited, Learned, Noted, Shown
from .relevance import Weighed, WordStatistics, evidence
from .words import Tongue, terms

LATELY = 40
EVEN = 0.5
UNTOLD = 0.96
FEW = 4


@dataclass(frozen=True, slots=True)
class Visit:
    """One run, as far as the ledger is concerned. ``passed`` is None until it is known."""

    run: str
    at: str
    told: Shown
    passed: bool | None = None
    blamed: frozenset[str] = frozenset()
    undone: bool = False

    @property
    def good(self) -> bool:
        """Whether the first attempt passed, and a person let it stand."""
        return bool(self.passed) and not self.undone

    def use(self, id: str) -> Use:
        """What this run says about an entry."""
        return Use(self.run, self.told.model, id in self.told.shown, self.good, id in self.blamed or self.undone)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run comes from: who did it, in which project and session."""

    model: str = ""
    project: str = ""
    session: str = ""


@dataclass(slots=True)
class LearningState:
    """Everything that is known. ``answers`` are what people said in a run, by the question; ``due`` are runs that are
    over and were not learned from yet, the oldest first.

    Of each entry, by word: ``came`` is in how many tasks its subject came up, ``well`` in how many it was shown for
    that word and nothing was wrong; these count for a little less, so that what is shown by mistake comes out in time.
    ``replaced`` are the entries whose place it took, one after the other; ``saved`` is each entry as it was last saved.
    Of each project: ``titles`` are the words of its findings, ``texts`` in how many ``noted`` entries a word is,
    ``mended`` in how many of them a check.
    """

    entries: dict[str, LearningEntry] = field(default_factory=dict)
    visits: dict[str, Visit] = field(default_factory=dict)
    visitors: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    frequencies: defaultdict[str, defaultdict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    came: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    well: defaultdict[str, defaultdict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )
    replaced: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    titles: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    mended: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    noted: Counter[str] = field(default_factory=Counter)
    projects: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    origins: dict[str, Origin] = field(default_factory=dict)
    due: dict[str, None] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    answers: defaultdict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    undone: set[str] = field(default_factory=set)
    saved: dict[str, Learning] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Take one record in."""
        run = record.run
        match record.event:
            case Noted(entry=entry):
                self.note(entry)
            case events.LearningSaved(learning=learning):
                self.save(learning, record)
            case Shown() as told if run not in self.visits:
                self.visit(Visit(run, record.at, told))
            case Credited(passed=passed, blamed=blamed, of=of) if (of or run) in self.visits:
                self.judge(replace(self.visits[of or run], passed=passed, blamed=frozenset(blamed)))
            case events.TaskStarted(task=task, model=model):
                self.origins[run] = Origin(model, task.project, task.session)
            case events.RunCompleted():
                self.due[run] = None
            case Learned(of=of):
                self.due.pop(of, None)
            case events.QuestionAsked(id=id, text=text):
                self.questions[id] = text
            case events.QuestionAnswered(id=id, answer=answer) if answer:
                self.answers[run].append((self.questions.get(id, ""), answer))
            case events.WorkspaceRestored():
                self.turn(run)

    def note(self, entry: LearningEntry) -> None:
        """Note an entry as it now stands, and the words of the tasks in which its subject came up anew.

        What takes the place of another is about the same: what is known of its words is known of both.
        """
        known = self.entries.get(entry.id)
        self.entries[entry.id] = entry
        if known is None:
            self.noted[entry.project] += 1
            self.texts[entry.project].update(terms(entry.text))
            self.mended[entry.project].update(check for proof in entry.proofs for check in proof.mended)
        new = set(entry.when) - set(known.when if known else ())
        for task in new:
            self.came[entry.id].update(terms(task))
        if entry.superseded_by:
            self.replaced[entry.superseded_by] |= {entry.id, *self.replaced[entry.id]} - {entry.superseded_by}
        self.titles[entry.project].update(word for proof in entry.proofs for word in terms(proof.finding))

    def judge(self, visit: Visit) -> None:
        """Note how a run went, and the words for which entries were shown in it that nothing was wrong with."""
        was, self.visits[visit.run] = self.visits[visit.run], visit
        if was.passed is not None or visit.passed is None:
            return
        words = terms(visit.told.task)
        for entry in (self.entries[id] for id in visit.told.shown if id in self.entries and id not in visit.blamed):
            told = evidence(entry, words, self.heard(entry, visit.told.project))
            most = max(told.values(), default=0.0)
            for word, share in told.items():
                if share >= most / 2:
                    self.well[entry.id][word] += UNTOLD

    def heard(self, entry: LearningEntry, project: str) -> WordStatistics:
        """Return the words of tasks, and what they say about an entry."""
        ids = (entry.id, *self.replaced.get(entry.id, ()))
        came, well = (sum_counts([counts[id] for id in ids]) for counts in (self.came, self.well))
        return WordStatistics(self.frequencies[project], came, well)

    def tongue(self, project: str) -> Tongue:
        """How people speak in a project."""
        entries = self.noted[project]
        weights = {word: said_by(count, entries) for word, count in self.texts[project].items()}
        heard, mended = frozenset(self.frequencies[project]) | self.titles[project], self.mended[project]
        checks = frozenset(check for check, times in mended.items() if times * FEW <= mended.total())
        return Tongue(heard, weights, said_by(0, entries), checks)

    def weigh_task(self, text: str, project: str) -> Weighed:
        """Return a task's words, and their weight in its project."""
        return Weighed(text, terms(text), self.weights(project), self.unheard(project))

    def save(self, learning: Learning, record: Record) -> None:
        """Take in what was saved, by whomever: another plugin may have changed what we noted."""
        known, self.saved[learning.id] = self.entries.get(learning.id), learning
        if known is None:
            self.entries[learning.id] = entry_of(learning, record.at, self.origins.get(record.run, Origin()).project)
            return
        same = known.text == learning.text
        self.entries[learning.id] = replace(
            known,
            text=learning.text,
            proved=known.proved and same,
            standing=learning.status,
            superseded_by=learning.superseded_by,
        )

    def visit(self, visit: Visit) -> None:
        """Note a run, and the words of its task."""
        told = visit.told
        self.visits[visit.run] = visit
        self.projects[told.project].append(visit.run)
        for id in (*told.shown, *told.withheld):
            self.visitors[id].append(visit.run)
        for word in terms(told.task):
            self.frequencies[told.project][word] += 1

    def turn(self, run: str) -> None:
        """A person took a run's changes back, or took them up again."""
        self.undone ^= {run}
        if run in self.visits:
            self.judge(replace(self.visits[run], undone=run in self.undone))

    def uses(self, id: str) -> tuple[Use, ...]:
        """What happened in runs that an entry was eligible for, oldest first."""
        told = (self.visits[run] for run in self.visitors.get(id, ()))
        return tuple(visit.use(id) for visit in told if visit.passed is not None)

    def usual(self, project: str) -> float:
        """How often a first attempt has passed lately in a project; even chances while nothing is known."""
        lately = [self.visits[run] for run in self.projects[project][-LATELY:]]
        known = [visit.good for visit in lately if visit.passed is not None]
        return (sum(known) + EVEN * 2) / (len(known) + 2)

    def weights(self, project: str) -> Mapping[str, float]:
        """How much each word says in a project: the fewer tasks have it the more."""
        tasks = len(self.projects[project])
        return {word: said_by(count, tasks) for word, count in self.frequencies[project].items()}

    def unheard(self, project: str) -> float:
        """How much a word says that no task has had yet."""
        return said_by(0, len(self.projects[project]))

    def last_helped(self, entry: LearningEntry) -> str:
        """Return when an entry last helped, or when it was noted."""
        runs = (self.visits[run] for run in reversed(self.visitors.get(entry.id, ())))
        return next((visit.at for visit in runs if entry.id in visit.told.shown and visit.good), entry.since)


def sum_counts(counts: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Return counts added up by word."""
    if len(counts) == 1:
        return counts[0]
    return {word: sum(one.get(word, 0) for one in counts) for word in {word for one in counts for word in one}}


def said_by(count: int, tasks: int) -> float:
    """How much a word says that so many of the tasks have: the square of its inverse frequency."""
    return log(1 + (tasks - count + 0.5) / (count + 0.5)) ** 2
