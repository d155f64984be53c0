"""One run, computed from its records in one pass: the only place that derives a run's facts from them.

A view can be extended with later records. It can be incomplete: that of a killed run, or of a log with lines
missing. A run that was resumed, approved or judged later continues in the iteration where it stopped.
"""

from collections.abc import Sequence
from dataclasses import field, replace

from openkoi_hookspecs import Cost, Event, Finding, Iteration, Plan, Record, Result, Task, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .checkpoint_view import UNDO_EVENTS, CheckpointView
from .iteration_view import FindingView, IterationPhase, IterationView, list_findings, phase_after

COURSE_EVENTS: tuple[type[Event], ...] = (
    *(events.TaskStarted, events.PlanReady, events.InnerLoopEnded, events.ExecutionFinished),
    *(events.RequestClassified, events.EvaluationFinished, events.IterationFinished, events.DecisionMade),
    *(events.RunCompleted, events.RunFailed, events.RunResumed, events.QuestionAsked, events.QuestionAnswered),
    *(events.UsageRecorded, events.ConversationRewound),
)
"""What iterations, findings, decisions, the result, the used skills and a rewind are computed from."""
PAID_EVENTS: tuple[type[Event], ...] = (events.ModelResponse, events.ModelResponseBroken)
VIEW_EVENTS = tuple(dict.fromkeys((*COURSE_EVENTS, *PAID_EVENTS, *UNDO_EVENTS)))
"""All that a view is computed from."""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question to the user; ``answered`` is whether the run continued, ``answer`` None without an answer."""

    id: str
    text: str
    answered: bool = False
    answer: str | None = None


@dataclass(slots=True)
class RunView:
    """The state of a run, from its records so far.

    ``completed`` and ``failed`` say how it ended; both are None until it does. ``afterwards`` is what was paid after
    the result was out. ``rewound_to``: a rewind to before that run removed this one from the conversation.
    """

    run: str = ""
    at: str = ""
    updated: str = ""
    segment: str = ""
    started: events.TaskStarted | None = None
    plan: Plan = field(default_factory=Plan)
    completed: events.RunCompleted | None = None
    completed_at: str = ""
    failed: events.RunFailed | None = None
    failed_at: str = ""
    questions: dict[str, QuestionView] = field(default_factory=dict)
    over: bool = False
    known: dict[int, IterationView] = field(default_factory=dict)
    current: IterationView = field(default_factory=IterationView)
    afterwards: IterationView = field(default_factory=IterationView)
    files: set[str] = field(default_factory=set)
    skills: tuple[str, ...] = ()
    checkpoints: CheckpointView = field(default_factory=CheckpointView)
    waiting: bool = False
    charged: Cost = Cost()
    rewound_to: str = ""

    def take(self, record: Record) -> None:
        """Process the run's next record."""
        self.updated = record.at
        self.checkpoints = self.checkpoints.take(record)
        match record.event:
            case events.TaskStarted() as started if self.started is None:
                self.run, self.at, self.segment, self.started = record.run, record.at, record.segment, started
            case events.PlanReady(plan=plan):
                self.plan = plan
                self.current = replace(self.current, plan=plan, phase=IterationPhase.EXECUTE)
            case events.InnerLoopEnded(reason=reason):
                self.current = replace(self.current, terminated_by=reason)
            case events.ExecutionFinished(work=work):
                self.files |= set(work.files)
                self.end_undecided()
                self.update_current(record.at, phase=IterationPhase.EVALUATE, work=work, evaluation=None)
            case events.RequestClassified(question=question) as classified:
                self.plan = replace(self.plan, asks=question)
                plan = replace(self.current.plan, asks=question)
                self.update_current(record.at, plan=plan, classified=classified)
            case events.EvaluationFinished(evaluation=evaluation):
                self.end_undecided()
                self.update_current(record.at, evaluation=evaluation)
            case events.ModelResponse() | events.ModelResponseBroken() as paid:
                self.add_payment(record.at, paid)
            case _:
                self.add_decision(record)

    def add_decision(self, record: Record) -> None:
        """Process an event that ends an iteration or the run, or that needs the user."""
        match record.event:
            case events.IterationFinished(iteration=number, score=score, cost=spent, mode=mode):
                self.end_undecided()
                self.update_current(record.at, number=number, reported=score, cost=spent, mode=mode, ended=True)
            case events.DecisionMade(iteration=number, decision=decision, facts=facts, cost=total):
                phase = phase_after(decision.action)
                self.decide(record.at, number, decision=decision, facts=facts, total=total, phase=phase)
            case events.RunCompleted() as completed:
                self.completed, self.completed_at, self.failed, self.over = completed, record.at, None, True
                self.charged = completed.cost
                self.restore_best()
            case events.RunFailed() as failed:
                self.completed, self.failed, self.failed_at = None, failed, record.at
            case events.RunResumed():
                self.rewound_to = ""
                self.resume()
            case events.QuestionAsked(id=id, text=text):
                self.questions[id] = QuestionView(id, text)
            case events.QuestionAnswered(id=id, answer=answer):
                self.add_answer(id, answer)
            case events.UsageRecorded(skills=skills) if skills:
                self.skills = skills
            case events.ConversationRewound(to=to, undone=undone):
                self.rewound_to = "" if undone else to

    def update_current(self, at: str, **facts: object) -> None:
        """Add facts to the current iteration; after a result, the run was resumed."""
        if self.over:
            self.resume()
        self.current = replace(self.current, at=at, **facts)  # type: ignore[arg-type]

    def decide(self, at: str, number: int, **facts: object) -> None:
        """End the current iteration: the next one starts, or this one was resumed."""
        self.update_current(self.current.at or at, number=number, ended=True, **facts)
        decided = self.save_current()
        self.waiting = decided.needs_user and not decided.is_continued
        if decided.decision and decided.decision.restart_from_best and decided.iteration:
            from openkoi_base.decision.best import best_of

            self.checkpoints = self.checkpoints.restored_to(best_of(self.finished_iterations).work)
        self.current = IterationView(plan=self.next_plan(decided), phase=IterationPhase.EXECUTE)

    def restore_best(self) -> None:
        """Record that the run restored the files of its best iteration at its end, if that was not the last one."""
        best = self.best
        if best and best.work:
            was_last = best.number == max(one.number for one in self.iterations)
            take = self.checkpoints.ended_with if was_last else self.checkpoints.restored_to
            self.checkpoints = take(best.work)

    def end_undecided(self) -> None:
        """End an iteration whose decision is missing from the log, because the next one starts."""
        if self.current.ended:
            self.save_current()
            self.current = IterationView(plan=self.current.plan, phase=IterationPhase.EXECUTE)

    def save_current(self) -> IterationView:
        """Save the current iteration, merged with the one that it was resumed from, if any."""
        number = self.current.number
        before = self.known.get(number)
        self.known[number] = before.merge_resumed(self.current) if before else self.current
        return self.known[number]

    def resume(self) -> None:
        """Clear the end of the run; costs after its result count toward what follows."""
        paid, self.completed, self.failed, self.over = self.afterwards, None, None, False
        self.current = replace(self.current, usage=self.current.usage + paid.usage, usd=self.current.usd + paid.usd)
        self.afterwards, self.completed_at = IterationView(), ""

    def add_payment(self, at: str, paid: events.Paid) -> None:
        """Count a model call of this run or of a sub-task."""
        if self.over:
            self.afterwards = self.afterwards.add_cost(paid)
        else:
            self.current = replace(self.current.add_cost(paid), at=at)

    def add_answer(self, question_id: str, answer: str | None) -> None:
        """Record the user's answer. After an iteration that waited for it, the next one must follow it first."""
        view = self.questions.get(question_id, QuestionView(question_id, ""))
        self.questions[question_id] = replace(view, answered=True, answer=answer)
        if self.waiting and answer:
            from openkoi_base.decision.refine import advice_to_finding

            last, feedback = max(self.known), (advice_to_finding(answer), *self.current.plan.feedback)
            self.known[last] = replace(self.known[last], advice=answer)
            self.current = replace(self.current, plan=replace(self.current.plan, feedback=feedback))
            self.waiting = False

    def next_plan(self, decided: IterationView) -> Plan:
        """Return the plan of the next iteration, unless the user gives advice."""
        if decided.iteration is None or decided.is_continued:
            return decided.plan
        from openkoi_base.decision.best import best_of
        from openkoi_base.decision.refine import refine

        fresh = decided.decision is not None and decided.decision.restart_from_best
        return refine(self.plan, best_of(self.finished_iterations) if fresh else decided.iteration)

    @property
    def finished_iterations(self) -> Sequence[Iteration]:
        """The iterations so far that did any work, as the kernel describes them."""
        return [one.iteration for one in self.known.values() if one.iteration]

    @property
    def undone(self) -> bool:
        """Whether the user undid the run's changes, and has neither redone them nor resumed the run since."""
        return self.checkpoints.undone

    @property
    def task(self) -> Task:
        """The task; an empty one if its start is not in the log."""
        return self.started.task if self.started else Task("")

    @property
    def workspace(self) -> str:
        """The folder that it worked in."""
        return self.started.workspace if self.started else ""

    @property
    def iterations(self) -> Sequence[IterationView]:
        """All iterations in order; the last one may be without a decision."""
        known = dict(self.known)
        if self.current.has_started:
            number = self.current.number if self.current.ended else self.current_number
            now = replace(self.current, number=number)
            known[number] = known[number].merge_resumed(now) if number in known else now
        return [known[number] for number in sorted(known)]

    @property
    def current_number(self) -> int:
        """The number of the current iteration: the last one continues if it waited or was not judged."""
        last = max(self.known, default=-1)
        return last if last in self.known and self.known[last].is_continued else last + 1

    @property
    def ended_iterations(self) -> Sequence[IterationView]:
        """The complete iterations, in order."""
        return [one for one in self.iterations if one.ended]

    @property
    def best(self) -> IterationView | None:
        """The iteration whose files are in the workspace; the last one while that is not known."""
        there = self.ended_iterations or self.iterations
        if not there:
            return None
        number = self.completed.best if self.completed else -1
        return there[number] if -1 <= number < len(there) else there[-1]

    @property
    def decision(self) -> str:
        """How it ended: a decision, ``failed``, ``interrupted``, or empty until it ends."""
        if self.completed:
            return str(self.completed.decision.action)
        return self.failed.state.value if self.failed else ""

    @property
    def reason(self) -> str:
        """The reason for how it ended."""
        if self.completed:
            return self.completed.decision.reason
        return self.failed.reason if self.failed else ""

    @property
    def ended_at(self) -> str:
        """When it ended; empty until it does."""
        return self.completed_at if self.completed else self.failed_at if self.failed else ""

    @property
    def cost(self) -> Cost:
        """What it had used at its last result, from which it may have been resumed; nothing before that."""
        return self.charged

    @property
    def used(self) -> Cost:
        """What it had used at its result; until then, the tokens and dollars of its calls so far."""
        if self.completed:
            return self.completed.cost
        there = [*self.iterations, self.afterwards]
        return Cost(tokens=sum(one.usage.total for one in there), usd=sum(one.usd for one in there))

    @property
    def final_score(self) -> float | None:
        """The score of the returned iteration; None until there is one."""
        return self.best.score if self.best and self.completed else None

    @property
    def resolved_findings(self) -> Sequence[Finding]:
        """The findings that an earlier iteration had and a later one did not, in the order in which they were found."""
        return [one.finding for one in self.findings if one.resolved is not None]

    @property
    def findings(self) -> Sequence[FindingView]:
        """Each finding once, with the iterations that found and resolved it."""
        return list_findings(self.iterations)

    @property
    def result(self) -> Result | None:
        """The result, as the kernel returned it; None until the run ends, or if no work was done."""
        done = [one.iteration for one in self.ended_iterations if one.iteration]
        if self.started is None or self.completed is None or not done:
            return None
        best: Iteration = done[min(self.completed.best, len(done) - 1)]
        return Result(self.task, self.completed.decision, best=best, iterations=tuple(done), cost=self.completed.cost)
