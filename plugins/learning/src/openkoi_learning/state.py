"""Rebuild the state of learning from the log: entries, the runs that were shown them, and how those went."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import log

from openkoi_hookspecs import Learning, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import UNDO_EVENTS, CheckpointView

from .effectiveness import EntryOutcome
from .entry import LearningEntry, entry_from_learning
from .events import EntriesShown, EntryUpdated, OutcomeCredited, RunProcessed
from .relevance import WeightedTask, WordStatistics, score_words
from .text_similarity import Vocabulary, stem_terms

RECENT_RUNS = 40  # for the usual success rate (estimate)
PRIOR_RATE = 0.5  # even chances, counted like two runs
IGNORED_WEIGHT = 0.96  # just below 1, so that an entry shown by mistake stops being shown (estimate)
SPECIFIC_CHECK_SHARE = 4  # a check fixed in at most a quarter of the entries' fixes is about one thing (estimate)


@dataclass(frozen=True, slots=True)
class RunExposure:
    """A run that entries were eligible for. ``passed`` is None until it is known."""

    run: str
    at: str
    selection: EntriesShown
    passed: bool | None = None
    blamed: frozenset[str] = frozenset()
    undone: bool = False

    @property
    def good(self) -> bool:
        """Whether the first attempt passed, and the user did not undo it."""
        return bool(self.passed) and not self.undone

    def outcome_for(self, id: str) -> EntryOutcome:
        """Return what this run says about an entry."""
        return EntryOutcome(
            self.run, self.selection.model, id in self.selection.shown, self.good, id in self.blamed or self.undone
        )


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """Where a run comes from: its model, project and session."""

    model: str = ""
    project: str = ""
    session: str = ""


@dataclass(slots=True)
class LearningState:
    """Everything that the log contains about learning.

    ``answers`` are the user's answers in a run, with their questions; ``due`` are finished runs that were not learned
    from yet, oldest first.

    Of each entry, by word: ``subject_counts`` counts the tasks in which its subject came up, ``ignored_counts`` those
    in which it was shown for that word and nothing was wrong; these weigh a little less. ``replaced`` are the entries
    that it replaced, one after the other; ``saved`` is each entry as it was last saved. Of each project: ``titles`` are
    the words of its findings, ``texts`` counts a word's ``entry_counts`` entries, ``fixed_checks`` a check's.
    """

    entries: dict[str, LearningEntry] = field(default_factory=dict)
    exposures: dict[str, RunExposure] = field(default_factory=dict)
    eligible_runs: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    word_counts: defaultdict[str, defaultdict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    subject_counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ignored_counts: defaultdict[str, defaultdict[str, float]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(float))
    )
    replaced: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    titles: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    fixed_checks: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    entry_counts: Counter[str] = field(default_factory=Counter)
    projects: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    origins: dict[str, RunOrigin] = field(default_factory=dict)
    due: dict[str, None] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    answers: defaultdict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    checkpoints: dict[str, CheckpointView] = field(default_factory=dict)
    saved: dict[str, Learning] = field(default_factory=dict)

    def apply(self, record: Record) -> None:
        """Apply one record."""
        run = record.run
        match record.event:
            case EntryUpdated(entry=entry):
                self.update_entry(entry)
            case events.LearningSaved(learning=learning):
                self.apply_saved(learning, record)
            case EntriesShown() as selection if run not in self.exposures:
                self.add_run(RunExposure(run, record.at, selection))
            case OutcomeCredited(passed=passed, blamed=blamed, of=of) if (of or run) in self.exposures:
                self.update_run(replace(self.exposures[of or run], passed=passed, blamed=frozenset(blamed)))
            case events.TaskStarted(task=task, model=model):
                self.origins[run] = RunOrigin(model, task.project, task.session)
            case events.RunCompleted():
                self.due[run] = None
            case RunProcessed(of=of):
                self.due.pop(of, None)
            case events.QuestionAsked(id=id, text=text):
                self.questions[id] = text
            case events.QuestionAnswered(id=id, answer=answer) if answer:
                self.answers[run].append((self.questions.get(id, ""), answer))
            case event if isinstance(event, UNDO_EVENTS):
                self.apply_checkpoints(record)

    def update_entry(self, entry: LearningEntry) -> None:
        """Update an entry, and the words of the tasks in which its subject came up again.

        An entry that replaces another is about the same: word counts of both are added.
        """
        known = self.entries.get(entry.id)
        self.entries[entry.id] = entry
        if known is None:
            self.entry_counts[entry.project] += 1
            self.texts[entry.project].update(stem_terms(entry.text))
            self.fixed_checks[entry.project].update(check for proof in entry.proofs for check in proof.fixed_checks)
        new = set(entry.when) - set(known.when if known else ())
        for task in new:
            self.subject_counts[entry.id].update(stem_terms(task))
        if entry.superseded_by:
            self.replaced[entry.superseded_by] |= {entry.id, *self.replaced[entry.id]} - {entry.superseded_by}
        self.titles[entry.project].update(word for proof in entry.proofs for word in stem_terms(proof.finding))

    def update_run(self, visit: RunExposure) -> None:
        """Record how a run went, and the words for which entries were shown in it without a finding about them."""
        before, self.exposures[visit.run] = self.exposures[visit.run], visit
        if before.passed is not None or visit.passed is None:
            return
        words = stem_terms(visit.selection.task)
        for entry in (
            self.entries[id] for id in visit.selection.shown if id in self.entries and id not in visit.blamed
        ):
            scores = score_words(entry, words, self.word_statistics(entry, visit.selection.project))
            strongest = max(scores.values(), default=0.0)
            for word, share in scores.items():
                if share >= strongest / 2:
                    self.ignored_counts[entry.id][word] += IGNORED_WEIGHT

    def word_statistics(self, entry: LearningEntry, project: str) -> WordStatistics:
        """Return the word counts that say how relevant an entry is."""
        ids = (entry.id, *self.replaced.get(entry.id, ()))
        came, well = (sum_counts([counts[id] for id in ids]) for counts in (self.subject_counts, self.ignored_counts))
        return WordStatistics(self.word_counts[project], came, well)

    def vocabulary(self, project: str) -> Vocabulary:
        """Return the vocabulary of a project."""
        entries = self.entry_counts[project]
        weights = {word: squared_idf(count, entries) for word, count in self.texts[project].items()}
        known, fixed = frozenset(self.word_counts[project]) | self.titles[project], self.fixed_checks[project]
        checks = frozenset(check for check, times in fixed.items() if times * SPECIFIC_CHECK_SHARE <= fixed.total())
        return Vocabulary(known, weights, squared_idf(0, entries), checks)

    def weigh_task(self, text: str, project: str) -> WeightedTask:
        """Return a task's words, and their weight in its project."""
        return WeightedTask(text, stem_terms(text), self.word_weights(project), self.unknown_word_weight(project))

    def apply_saved(self, learning: Learning, record: Record) -> None:
        """Apply a saved learning: another plugin may have changed the entry."""
        known, self.saved[learning.id] = self.entries.get(learning.id), learning
        if known is None:
            self.entries[learning.id] = entry_from_learning(
                learning, record.at, self.origins.get(record.run, RunOrigin()).project
            )
            return
        same = known.text == learning.text
        self.entries[learning.id] = replace(
            known,
            text=learning.text,
            proved=known.proved and same,
            standing=learning.status,
            superseded_by=learning.superseded_by,
        )

    def add_run(self, visit: RunExposure) -> None:
        """Record a run, and the words of its task."""
        selection = visit.selection
        self.exposures[visit.run] = visit
        self.projects[selection.project].append(visit.run)
        for id in (*selection.shown, *selection.withheld):
            self.eligible_runs[id].append(visit.run)
        for word in stem_terms(selection.task):
            self.word_counts[selection.project][word] += 1

    def apply_checkpoints(self, record: Record) -> None:
        """Record whether the user has undone a run's changes."""
        files = self.checkpoints.get(record.run, CheckpointView()).take(record)
        self.checkpoints[record.run] = files
        visit = self.exposures.get(record.run)
        if visit and visit.undone != files.undone:
            self.update_run(replace(visit, undone=files.undone))

    def outcomes(self, id: str) -> tuple[EntryOutcome, ...]:
        """Return the outcomes of the runs that an entry was eligible for, oldest first."""
        runs = (self.exposures[run] for run in self.eligible_runs.get(id, ()))
        return tuple(visit.outcome_for(id) for visit in runs if visit.passed is not None)

    def success_rate(self, project: str) -> float:
        """Return the share of recent first attempts that passed in a project; 0.5 without any."""
        recent = [self.exposures[run] for run in self.projects[project][-RECENT_RUNS:]]
        known = [visit.good for visit in recent if visit.passed is not None]
        return (sum(known) + PRIOR_RATE * 2) / (len(known) + 2)

    def word_weights(self, project: str) -> Mapping[str, float]:
        """Return the weight of each word in a project: the fewer tasks contain it the more."""
        tasks = len(self.projects[project])
        return {word: squared_idf(count, tasks) for word, count in self.word_counts[project].items()}

    def unknown_word_weight(self, project: str) -> float:
        """Return the weight of a word that no task contains."""
        return squared_idf(0, len(self.projects[project]))

    def last_helped(self, entry: LearningEntry) -> str:
        """Return when an entry last helped, or when it was noted."""
        runs = (self.exposures[run] for run in reversed(self.eligible_runs.get(entry.id, ())))
        return next((visit.at for visit in runs if entry.id in visit.selection.shown and visit.good), entry.since)


def sum_counts(counts: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Return counts added up by word."""
    if len(counts) == 1:
        return counts[0]
    return {word: sum(part.get(word, 0) for part in counts) for word in {word for part in counts for word in part}}


def squared_idf(count: int, tasks: int) -> float:
    """Return the weight of a word that so many of the tasks contain: the square of its inverse frequency."""
    return log(1 + (tasks - count + 0.5) / (count + 0.5)) ** 2
