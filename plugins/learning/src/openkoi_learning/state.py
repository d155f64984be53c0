"""Rebuild the state of learning from the log: entries, the runs that were shown them, and how those went."""

from array import array
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Learning, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import UNDO_EVENTS, CheckpointView

from .content import terms_of
from .effectiveness import EntryOutcome
from .entry import RESTORED, REWOUND, SAME, LearningEntry, entry_from_learning
from .events import EntriesShown, EntryUpdated, OutcomeCredited, RunProcessed
from .relevance import Basis, Evidence, TaskHistory, Words
from .thresholds import MIN_RUNS, OUTCOME_WORTH

if TYPE_CHECKING:
    from .stopping import NextIteration, Standing

KEPT_RUNS = 100  # of a project, whatever came of them; then those that say something (measured: CURVES.md)
RARE_WORD_TASKS = 500  # of a project, after which a word that few had is as new (measured: CURVES.md)


@dataclass(frozen=True, slots=True)
class RunExposure:
    """A run that entries were eligible for, the ``number``-th of its project. ``passed`` is None until it is known."""

    run: str
    at: str
    selection: EntriesShown
    number: int = 0
    passed: bool | None = None
    blamed: frozenset[str] = frozenset()
    undone: bool = False

    @property
    def says_something(self) -> bool:
        """Whether the outcome for entries is known."""
        return self.passed is not None and bool(self.selection.shown or self.selection.withheld)

    @property
    def good(self) -> bool:
        """Whether the first attempt passed, and the user did not undo it."""
        return bool(self.passed) and not self.undone

    def outcome_for(self, id: str) -> EntryOutcome:
        """Return this run's verdict on an entry."""
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

    ``past_tasks`` are the entries that stand for the past tasks of projects, ``known`` all entries.
    ``answers`` are the user's answers in a run, with their questions; ``due`` are finished runs that were not learned
    from yet, oldest first. ``proofs`` are the runs that confirmed or refuted an entry, by project and entry; ``words``
    the numbers of a project's tasks with each word, ``counts`` how many there were. ``projects`` are the runs of each
    that are remembered, ``teachers`` the runs that entries come from. ``merged`` are the entries with the same meaning
    as another.
    ``decided`` is where runs stand that are not over, ``iterations`` which iterations of a project paid.
    ``rewound`` are the runs that a rewind removed from their conversation, ``before_rewind`` the entries that it ended.
    ``saved`` is each entry as it was last saved, ``counted`` its outcomes until a run changes them.
    """

    entries: dict[str, LearningEntry] = field(default_factory=dict)
    past_tasks: dict[str, LearningEntry] = field(default_factory=dict)
    exposures: dict[str, RunExposure] = field(default_factory=dict)
    eligible_runs: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    proofs: defaultdict[tuple[str, str], dict[str, Evidence]] = field(default_factory=lambda: defaultdict(dict))
    words: defaultdict[str, defaultdict[str, "array[int]"]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: array("I")))
    )
    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    teachers: set[str] = field(default_factory=set)
    merged: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    projects: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    origins: dict[str, RunOrigin] = field(default_factory=dict)
    due: dict[str, None] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    answers: defaultdict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    checkpoints: dict[str, CheckpointView] = field(default_factory=dict)
    decided: dict[str, "Standing"] = field(default_factory=dict)
    iterations: defaultdict[str, list["NextIteration"]] = field(default_factory=lambda: defaultdict(list))
    rewound: set[str] = field(default_factory=set)
    before_rewind: dict[str, LearningEntry] = field(default_factory=dict)
    saved: dict[str, Learning] = field(default_factory=dict)
    counted: dict[str, tuple[EntryOutcome, ...]] = field(default_factory=dict)

    def apply(self, record: Record) -> None:
        """Apply one record."""
        run = record.run
        match record.event:
            case EntryUpdated(entry=entry):
                if entry.reason == REWOUND and entry.id in self.entries:
                    self.before_rewind[entry.id] = self.entries[entry.id]
                before = self.known.get(entry.id)
                self.save_entry(entry)
                if entry.reason == RESTORED and before and not before.is_live:
                    self.forget_outcomes(entry.id)
                self.teachers.update(proof.run for proof in entry.proofs)
                if entry.superseded_by and entry.reason.startswith(SAME):
                    self.merged[entry.superseded_by] |= {entry.id, *self.merged.get(entry.id, ())}
            case events.LearningSaved(learning=learning):
                self.apply_saved(learning, record)
            case EntriesShown() as selection if run not in self.exposures:
                self.add_run(RunExposure(run, record.at, selection))
            case OutcomeCredited(of=of) as outcome if (of or run) in self.exposures:
                self.apply_outcome(self.exposures[of or run], outcome)
            case events.TaskStarted(task=task, model=model):
                self.origins[run] = RunOrigin(model, task.project, task.session)
            case events.RunCompleted():
                self.due[run] = None
            case events.DecisionMade() as decided:
                self.apply_decision(run, decided)
            case RunProcessed(of=of):
                self.due.pop(of, None)
            case events.QuestionAsked(id=id, text=text):
                self.questions[id] = text
            case events.QuestionAnswered(id=id, answer=answer) if answer:
                self.answers[run].append((self.questions.get(id, ""), answer))
            case events.ConversationRewound(undone=undone):
                (self.rewound.discard if undone else self.rewound.add)(run)
            case event if isinstance(event, UNDO_EVENTS):
                self.apply_checkpoints(record)

    @property
    def known(self) -> Mapping[str, LearningEntry]:
        """All entries by id: those with a text to show, and those that represent past tasks."""
        return ChainMap(self.entries, self.past_tasks)

    def save_entry(self, entry: LearningEntry) -> None:
        """Record an entry as it now stands."""
        (self.past_tasks if entry.is_past_tasks else self.entries)[entry.id] = entry

    def forget_outcomes(self, id: str) -> None:
        """Forget what runs showed about an entry: else its next run would archive it again."""
        self.eligible_runs.pop(id, None)
        self.counted.pop(id, None)
        for project in self.projects:
            self.proofs.pop((project, id), None)

    def apply_decision(self, run: str, decided: events.DecisionMade) -> None:
        """Record whether an iteration paid off, unless it was the first of its run."""
        from .stopping import NextIteration, has_paid, standing_of

        if before := self.decided.pop(run, None):
            known = self.iterations[self.origins.get(run, RunOrigin()).project]
            known.append(NextIteration(before, has_paid(before, decided)))
        if not decided.decision.final:
            self.decided[run] = standing_of(decided)

    def apply_outcome(self, visit: RunExposure, outcome: OutcomeCredited) -> None:
        """Record the outcome of a run, and its evidence about entries."""
        blamed = frozenset(outcome.blamed)
        self.update_exposure(replace(visit, passed=outcome.passed, blamed=blamed))
        confirmed, refuted = outcome.confirmed, frozenset(outcome.refuted)
        if confirmed is None:
            shown = frozenset(visit.selection.shown)
            confirmed, refuted = tuple(shown - blamed) if outcome.passed else (), shown & blamed
        words, project = terms_of(visit.selection.task), visit.selection.project
        for id in (*outcome.unblamed, *confirmed, *refuted):
            basis = Basis.ITERATION if id in outcome.unblamed else Basis.RESULT
            self.proofs[project, id][visit.run] = Evidence(visit.number, words, id not in refuted, basis)

    def history(self, project: str) -> TaskHistory:
        """Return the tasks of a project."""
        return TaskHistory(self.counts[project], self.words[project])

    def evidence(self, id: str, project: str) -> list[Evidence]:
        """Return the verdicts of a project's runs on an entry; an undone run counts against what was shown."""
        found = {**self.proofs.get((project, id), {})}
        for other in self.merged.get(id, ()):
            found |= self.proofs.get((project, other), {})
        return [replace(one, confirmed=False) if self.is_undone(run, id) else one for run, one in found.items()]

    def all_evidence(self, entry: LearningEntry, project: str) -> list[Evidence]:
        """Return the same evidence, and the runs that taught an entry, which confirm it."""
        found = self.evidence(entry.id, project)
        basis = Basis.ADVICE if entry.base < OUTCOME_WORTH else Basis.RESULT
        known = {one.number for one in found}
        taught = self.taught(entry, project)
        return found + [Evidence(run, words, True, basis) for run, words in taught if run not in known]

    def tasks_needing(self, entry: LearningEntry, project: str) -> Iterator[tuple[int, Words]]:
        """Yield the number and words of each task that taught, confirmed or refuted an entry: it needed its subject."""
        yield from ((one.number, one.words) for one in self.evidence(entry.id, project))
        yield from self.taught(entry, project)

    def is_undone(self, run: str, id: str) -> bool:
        """Return whether the user undid a run that was shown an entry; a forgotten run was shown none."""
        visit = self.exposures.get(run)
        return visit is not None and visit.undone and id in visit.selection.shown

    def taught(self, entry: LearningEntry, project: str) -> Iterator[tuple[int, Words]]:
        """Yield the number and words of each task that taught an entry; of another project's, as if it came last."""
        tasks = dict(zip((proof.run for proof in entry.proofs), entry.when, strict=False))
        for run in dict.fromkeys(proof.run for proof in entry.proofs):
            visit = self.exposures.get(run)
            if visit and visit.selection.project == project:
                yield visit.number, terms_of(visit.selection.task)
            elif run in tasks:
                yield self.counts[project], terms_of(tasks[run])

    def apply_saved(self, learning: Learning, record: Record) -> None:
        """Apply a saved learning: another plugin may have changed the entry."""
        known, self.saved[learning.id] = self.known.get(learning.id), learning
        if known is None:
            self.entries[learning.id] = entry_from_learning(
                learning, record.at, self.origins.get(record.run, RunOrigin()).project
            )
            return
        proved = known.proved and known.text == learning.text
        changed = replace(known, text=learning.text, proved=proved, standing=learning.status)
        self.save_entry(replace(changed, superseded_by=learning.superseded_by))

    def add_run(self, visit: RunExposure) -> None:
        """Record a run and the words of its task; forget an older run that gives no evidence."""
        selection = visit.selection
        runs, number = self.projects[selection.project], self.counts[selection.project]
        self.exposures[visit.run] = replace(visit, number=number)
        for word in terms_of(selection.task):
            self.words[selection.project][word].append(number)
        self.counts[selection.project] += 1
        if self.counts[selection.project] % KEPT_RUNS == 0:
            self.forget_rare_words(selection.project)
        runs.append(visit.run)
        for id in (*selection.shown, *selection.withheld):
            self.eligible_runs[id].append(visit.run)
        if len(runs) > KEPT_RUNS:
            self.forget_run(runs, -KEPT_RUNS - 1)

    def forget_rare_words(self, project: str) -> None:
        """Forget the words that too few tasks had, long ago: most tasks bring names and numbers of their own."""
        words, oldest = self.words[project], self.counts[project] - RARE_WORD_TASKS
        rare = [word for word, tasks in words.items() if len(tasks) < MIN_RUNS and tasks[-1] < oldest]
        for word in rare:
            del words[word]

    def forget_run(self, runs: list[str], place: int) -> None:
        """Forget one of a project's runs, unless it is evidence, taught an entry, or has yet to be learned from.

        A process that runs thousands of tasks would grow with each.
        """
        run = runs[place]
        visit = self.exposures[run]
        if visit.says_something or run in self.teachers or run in self.due:
            return
        for id in (*visit.selection.shown, *visit.selection.withheld):
            if run in self.eligible_runs[id]:  # not if the entry was restored since
                self.eligible_runs[id].remove(run)
        del runs[place], self.exposures[run]
        for known in (self.origins, self.checkpoints, self.decided):
            known.pop(run, None)

    def apply_checkpoints(self, record: Record) -> None:
        """Record whether the user has undone a run's changes; a rewind does not count."""
        files = self.checkpoints.get(record.run, CheckpointView()).take(record)
        self.checkpoints[record.run] = files
        visit = self.exposures.get(record.run)
        if visit and visit.undone != files.rejected:
            self.update_exposure(replace(visit, undone=files.rejected))

    def outcomes(self, id: str) -> tuple[EntryOutcome, ...]:
        """Return the outcomes of the runs that an entry was eligible for, oldest first."""
        if id not in self.counted:
            runs = (self.exposures[run] for run in self.eligible_runs.get(id, ()))
            self.counted[id] = tuple(visit.outcome_for(id) for visit in runs if visit.passed is not None)
        return self.counted[id]

    def update_exposure(self, visit: RunExposure) -> None:
        """Record what is now known about a run; the outcomes of its entries are counted again."""
        self.exposures[visit.run] = visit
        for id in (*visit.selection.shown, *visit.selection.withheld):
            self.counted.pop(id, None)

    def success_rate(self, project: str) -> float:
        """Return the share of recent first attempts that passed in a project, by Laplace's rule; 0.5 without any."""
        recent = [self.exposures[run] for run in self.projects[project][-KEPT_RUNS:]]
        known = [visit.good for visit in recent if visit.passed is not None]
        return (sum(known) + 1) / (len(known) + 2)

    def last_helped(self, entry: LearningEntry) -> str:
        """Return when an entry last helped, or when it was noted."""
        runs = (self.exposures[run] for run in reversed(self.eligible_runs.get(entry.id, ())))
        return next((visit.at for visit in runs if entry.id in visit.selection.shown and visit.good), entry.since)
