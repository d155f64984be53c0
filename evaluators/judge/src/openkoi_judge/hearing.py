"""One judgement: spared where it can be, else of what changed, else in full; and no score that the work dictated.

Knows the run and what was kept of its judgements; what may be spared, and how answers are read, is decided elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from openkoi_hookspecs import Evaluation, EvaluationMode, Finding, LimitExceededError, ProviderError, Run
from openkoi_hookspecs.events import ControlOutcome, JudgeVoted, WarningIssued

from .ballot import Ballot, vote
from .case import Case, digest
from .halved import halved, unread
from .kept import Judgement, Kept
from .partial import Before, most, needed, stale, updated
from .reread import abridged
from .scores import Unreadable
from .since import Change, changed, state_of
from .sparing import Rules, acceptable, skippable, worthwhile
from .sway import DICTATED, dictated, obedient, passages, swayed, trial
from .verdict import Verdict
from .votes import agreed, close, composite, judged, lowered, total

ALONE = "Only one of several votes could be taken: {cause} The first vote stands."
SWAYED = "The work{place} holds words that dictate its score; the judge obeyed them, and its score is not taken."
UNSEEN = (
    "The judge would accept half of this work as well as all of it, and its certificate says that it overlooks "
    "defects: its judgement is not taken. Name another model for the role of the evaluator."
)


@dataclass(slots=True)
class Hearing:
    """A case, and what it took so far to come to a verdict."""

    case: Case
    run: Run
    kept: Kept
    rules: Rules
    calls: int = 0
    asked: int = 0
    aside: int = 0
    control: ControlOutcome = ControlOutcome.NONE
    before: Judgement | None = None
    votes: list[Verdict] = field(default_factory=list)

    async def held(self) -> Evaluation:
        """What is held of the work. Raises Unreadable, and whatever ``run.chat`` raises."""
        case, before = self.case, self.kept.runs.get(self.run.id)
        if case.work.unseen:
            return await self._full()
        known = self.kept.verdicts.get(case.key)
        if known and not self._doubtful(known):
            self._keep(known)
            return await self._said(known, EvaluationMode.CACHED)
        change = self._change(before) if before and before.yardstick == case.yardstick else None
        if before is None or change is None:
            return await self._full()
        self.before = before
        if skippable(before, change, case.work.known, self.rules) and not self._doubtful(before.verdict):
            return await self._carried(before.verdict, EvaluationMode.SKIPPED, self._names())
        return await self._partly(before, change) or await self._full()

    def _change(self, before: Judgement) -> Change | None:
        """What is different since the last full judgement; None when it cannot be told, or is not in files or words."""
        now = state_of(self.case.work, self.run.workspace)
        change = changed(before.state, now, self.run.workspace) if now else None
        return change if change and change.text else None

    async def _partly(self, before: Judgement, change: Change) -> Evaluation | None:
        """Ask about what changed. None: only a full judgement will do."""
        rubric = self.case.rubric
        must = needed(rubric, change.files, before.carried)
        ballot = self.case.partly(change, Before(before.verdict, must))
        if most(rubric, must) or not worthwhile(ballot.length, self.case.whole().length, ballot.steady):
            return None
        try:
            now = await self._vote(ballot)
        except Unreadable:
            return None
        verdict, left = updated(before.verdict, now, rubric), stale(now, rubric)
        if most(rubric, (score.dimension for score in now.scores)) or self._acceptable(verdict):
            return None
        if await self._dictated(verdict):
            return None
        nothing = not (now.scores or now.findings or now.resolved)
        return await self._carried(verdict, EvaluationMode.CACHED if nothing else EvaluationMode.INCREMENTAL, left)

    async def _full(self) -> Evaluation:
        """Judge all of it. What the work dictated is no verdict, but a reason not to accept it."""
        self.votes = []
        verdict = await self._agreed()
        if await self._dictated(verdict):
            finding = swayed(self.case.rubric, passages(self.case))
            place = f" ({finding.where})" if finding.where else ""
            return await self._refused(verdict, finding, SWAYED.format(place=place))
        if await self._blind(verdict):
            return await self._refused(verdict, unread(self.case.rubric), UNSEEN)
        self.kept.remember(self.case.key, verdict)
        self._keep(verdict)
        return await self._said(verdict, EvaluationMode.FULL)

    async def _refused(self, verdict: Verdict, finding: Finding, why: str) -> Evaluation:
        """What is said in place of a verdict that is not taken: a reason not to accept the work."""
        await self.run.emit(WarningIssued(why))
        await self.run.emit(self._voted(verdict, EvaluationMode.FULL))
        return Evaluation(findings=(finding,))

    async def _agreed(self) -> Verdict:
        """Get one vote, and the others when it lies so close to the threshold that noise could decide."""
        ballot = self._all()
        first = await self._vote(ballot)
        if not self._doubtful(first):
            return first
        try:
            return agreed([first, *[await self._vote(ballot) for _ in range(self.rules.votes - 1)]], self.case.rubric)
        except (LimitExceededError, ProviderError, Unreadable) as error:
            await self.run.emit(WarningIssued(ALONE.format(cause=error)))
            self.votes = [first]
            return first

    def _all(self) -> Ballot:
        """The question about all of it; what was read in full before, and stands as it stood, is not read again."""
        now = state_of(self.case.work, self.run.workspace) if self.before else None
        if not (self.before and now):
            return self.case.whole()
        diff = abridged(self.case.work.diff, self.before.state.texts, now.texts)
        ballot, whole = self.case.again(self.before.verdict, diff), self.case.whole()
        return ballot if worthwhile(ballot.length, whole.length, ballot.steady) else whole

    async def _vote(self, ballot: Ballot) -> Verdict:
        """Ask, and note what it took."""
        self.calls += 1
        self.asked += ballot.length
        verdict = await vote(ballot, self.run)
        if ballot.rubric is self.case.rubric:
            verdict = lowered(verdict, self.rules.lenient)
        self.votes.append(verdict)
        return verdict

    async def _dictated(self, verdict: Verdict) -> bool:
        """Whether words in the work made this score: the judge is asked what they are worth by themselves."""
        if total(verdict) < DICTATED:
            return False
        if any(map(obedient, self.votes)):
            self.control = ControlOutcome.DICTATED
            return True
        passage = passages(self.case)
        if passage is None:
            return False
        key = digest(self.case.yardstick, passage.text)
        if key not in self.kept.harmless:
            if dictated(await self._aside(trial(self.case, passage))):
                self.control = ControlOutcome.DICTATED
                return True
            self.kept.clear(key)
        self.control = ControlOutcome.SOUND
        return False

    async def _blind(self, verdict: Verdict) -> bool:
        """Whether a judge that is known to overlook defects, and would accept the work, would accept half of it too."""
        if not self.rules.tried or self.case.facts or not self._acceptable(verdict):
            return False
        blind = self._acceptable(await self._aside(replace(self.case, work=halved(self.case.work))))
        self.control = ControlOutcome.BLIND if blind else self.control
        return blind

    async def _aside(self, case: Case) -> Verdict:
        """A vote on something else than the work, which is not among those on the work."""
        votes, ballot = list(self.votes), case.whole()
        verdict = await self._vote(ballot)
        self.votes, self.aside = votes, self.aside + ballot.length
        return verdict

    def _doubtful(self, verdict: Verdict) -> bool:
        """Whether it takes more votes: noise could decide, or nothing was changed that could be looked at."""
        score = composite(verdict, self.case.work.known)
        doubtful = close(score, self.run.limits, self.rules.band) or not self.case.work.changed
        return verdict.votes < self.rules.votes and doubtful

    def _acceptable(self, verdict: Verdict) -> bool:
        return acceptable(verdict, self.case.work.known, self.run.limits)

    def _names(self) -> tuple[str, ...]:
        return tuple(dimension.name for dimension in self.case.rubric.dimensions)

    def _keep(self, verdict: Verdict) -> None:
        """Keep a full judgement of the work as it is now, if it is not too large to be compared with."""
        self.kept.runs.pop(self.run.id, None)
        if state := state_of(self.case.work, self.run.workspace):
            self.kept.keep(self.run.id, Judgement(verdict, state, self.case.yardstick))

    async def _carried(self, verdict: Verdict, mode: EvaluationMode, left: Sequence[str]) -> Evaluation:
        """A verdict in which some scores are from before."""
        keys = (self.case.rubric.known(name) for name in left)
        self.kept.carry(self.run.id, verdict, frozenset(one.key for one in keys if one))
        return await self._said(verdict, mode, tuple(left))

    async def _said(self, verdict: Verdict, mode: EvaluationMode, left: tuple[str, ...] = ()) -> Evaluation:
        """Make an evaluation of a verdict, and write down how it was come by."""
        await self.run.emit(replace(self._voted(verdict, mode), carried_over=left))
        return judged(verdict, mode)

    def _voted(self, verdict: Verdict, mode: EvaluationMode) -> JudgeVoted:
        return JudgeVoted(
            self.case.rubric.name,
            tuple(vote.scores for vote in self.votes),
            note=verdict.note,
            mode=mode,
            calls=self.calls,
            characters=self.asked,
            full_characters=self.case.whole().length,
            control_characters=self.aside,
            control=self.control,
        )
