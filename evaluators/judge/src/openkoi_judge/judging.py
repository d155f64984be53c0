"""Judge work: reuse an earlier judgment, or judge what changed, or all; discard a score that the work dictated."""

from collections.abc import Sequence
from dataclasses import field, replace

from openkoi_hookspecs import Evaluation, EvaluationMode, Finding, LimitExceededError, ProviderError, Run
from openkoi_hookspecs.events import ControlOutcome, JudgeVoted, WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .ablation_check import blind_judge_finding, halve_work
from .abridge import abridge_diff
from .aggregate_scores import aggregate_votes, combined_score, is_close, lower_scores, to_evaluation, weighted_mean
from .cache import CachedJudgment, JudgmentCache
from .changes_since import WorkChange, capture_state, find_change
from .incremental import PreviousVerdict, carried_dimensions, dimensions_to_rescore, is_majority, merge_verdicts
from .judge_input import JudgeInput, digest_texts
from .prompt_injection import (
    DICTATED_THRESHOLD,
    control_input,
    dictated_finding,
    find_passages,
    is_obedient,
    is_rewarded,
)
from .scores import UnreadableError
from .skip_rules import JudgingRules, is_acceptable, is_skippable, is_worthwhile
from .verdict import JudgeVerdict
from .vote_request import VoteRequest, request_vote

SINGLE_VOTE = "Only one of several votes was returned: {cause} The first vote is used."
DICTATED_WARNING = (
    "The work{place} contains text that tried to set its own score, and the judge followed it. That score was "
    "discarded."
)
BLIND_WARNING = (
    "The judge scores half of this work as high as all of it, and failed certification because it overlooks defects, "
    "so its score was ignored. Set a different `models.evaluator`."
)


@dataclass(slots=True)
class JudgingSession:
    """The state of one judgment."""

    input: JudgeInput
    run: Run
    cache: JudgmentCache
    rules: JudgingRules
    calls: int = 0
    asked: int = 0
    control_characters: int = 0
    control: ControlOutcome = ControlOutcome.NONE
    before: CachedJudgment | None = None
    votes: list[JudgeVerdict] = field(default_factory=list)

    async def evaluate(self) -> Evaluation:
        """Return the evaluation of the work. Raises UnreadableError, and the errors of ``run.chat``."""
        case, before = self.input, self.cache.runs.get(self.run.id)
        if case.work.unseen:
            return await self._judge_all()
        known = self.cache.verdicts.get(case.cache_key)
        if known and not self._needs_more_votes(known):
            self._store(known)
            return await self._finish(known, EvaluationMode.CACHED)
        change = self._find_change(before) if before and before.standard_digest == case.standard_digest else None
        if before is None or change is None:
            return await self._judge_all()
        self.before = before
        if is_skippable(before, change, case.work.known, self.rules) and not self._needs_more_votes(before.verdict):
            return await self._carry_over(before.verdict, EvaluationMode.SKIPPED, self._dimension_names())
        return await self._judge_change(before, change) or await self._judge_all()

    def _find_change(self, before: CachedJudgment) -> WorkChange | None:
        """Return what changed since the last full judgment, or None when that is unknown or empty."""
        now = capture_state(self.input.work, self.run.workspace)
        change = find_change(before.state, now, self.run.workspace) if now else None
        return change if change and change.text else None

    async def _judge_change(self, before: CachedJudgment, change: WorkChange) -> Evaluation | None:
        """Judge what changed; return None when only a full judgment will do."""
        rubric = self.input.rubric
        must = dimensions_to_rescore(rubric, change.files, before.carried)
        vote = self.input.partial_request(change, PreviousVerdict(before.verdict, must))
        if is_majority(rubric, must) or not is_worthwhile(
            vote.length, self.input.full_request().length, vote.steady_length
        ):
            return None
        try:
            now = await self._request_vote(vote)
        except UnreadableError:
            return None
        verdict, left = merge_verdicts(before.verdict, now, rubric), carried_dimensions(now, rubric)
        if is_majority(rubric, (score.dimension for score in now.scores)) or self._is_acceptable(verdict):
            return None
        if await self._is_dictated(verdict):
            return None
        nothing = not (now.scores or now.findings or now.resolved)
        return await self._carry_over(verdict, EvaluationMode.CACHED if nothing else EvaluationMode.INCREMENTAL, left)

    async def _judge_all(self) -> Evaluation:
        """Judge all of the work; a score that the work dictated becomes a reason not to accept it."""
        self.votes = []
        verdict = await self._collect_votes()
        if await self._is_dictated(verdict):
            finding = dictated_finding(self.input.rubric, find_passages(self.input))
            place = f" ({finding.where})" if finding.where else ""
            return await self._reject_score(verdict, finding, DICTATED_WARNING.format(place=place))
        if await self._is_blind(verdict):
            return await self._reject_score(verdict, blind_judge_finding(self.input.rubric), BLIND_WARNING)
        self.cache.keep_verdict(self.input.cache_key, verdict)
        self._store(verdict)
        return await self._finish(verdict, EvaluationMode.FULL)

    async def _reject_score(self, verdict: JudgeVerdict, finding: Finding, why: str) -> Evaluation:
        """Return a reason not to accept the work, in place of a discarded verdict."""
        await self.run.emit(WarningIssued(why))
        await self.run.emit(self._vote_event(verdict, EvaluationMode.FULL))
        return Evaluation(findings=(finding,))

    async def _collect_votes(self) -> JudgeVerdict:
        """Return one vote, or the aggregate of several when the score is close to the threshold."""
        vote = self._full_request()
        first = await self._request_vote(vote)
        if not self._needs_more_votes(first):
            return first
        try:
            return aggregate_votes(
                [first, *[await self._request_vote(vote) for _ in range(self.rules.votes - 1)]],
                self.input.rubric,
            )
        except (LimitExceededError, ProviderError, UnreadableError) as error:
            await self.run.emit(WarningIssued(SINGLE_VOTE.format(cause=error)))
            self.votes = [first]
            return first

    def _full_request(self) -> VoteRequest:
        """Return the request about all of the work; omit unchanged parts that were judged in full before."""
        now = capture_state(self.input.work, self.run.workspace) if self.before else None
        if not (self.before and now):
            return self.input.full_request()
        diff = abridge_diff(self.input.work.diff, self.before.state.texts, now.texts)
        vote, whole = self.input.incremental_request(self.before.verdict, diff), self.input.full_request()
        return vote if is_worthwhile(vote.length, whole.length, vote.steady_length) else whole

    async def _request_vote(self, vote: VoteRequest) -> JudgeVerdict:
        """Request a vote and record its cost."""
        self.calls += 1
        self.asked += vote.length
        verdict = await request_vote(vote, self.run)
        if vote.rubric is self.input.rubric:
            verdict = lower_scores(verdict, self.rules.lenient)
        self.votes.append(verdict)
        return verdict

    async def _is_dictated(self, verdict: JudgeVerdict) -> bool:
        """Return whether text in the work set this score; a control request determines that."""
        if weighted_mean(verdict) < DICTATED_THRESHOLD:
            return False
        if any(map(is_obedient, self.votes)):
            self.control = ControlOutcome.DICTATED
            return True
        passage = find_passages(self.input)
        if passage is None:
            return False
        key = digest_texts(self.input.standard_digest, passage.text)
        if key not in self.cache.harmless:
            if is_rewarded(await self._request_control(control_input(self.input, passage))):
                self.control = ControlOutcome.DICTATED
                return True
            self.cache.clear(key)
        self.control = ControlOutcome.SOUND
        return False

    async def _is_blind(self, verdict: JudgeVerdict) -> bool:
        """Return whether a judge known to overlook defects would also accept half of the work, as a control."""
        if not self.rules.tried or self.input.facts or not self._is_acceptable(verdict):
            return False
        blind = self._is_acceptable(await self._request_control(replace(self.input, work=halve_work(self.input.work))))
        self.control = ControlOutcome.BLIND if blind else self.control
        return blind

    async def _request_control(self, case: JudgeInput) -> JudgeVerdict:
        """Return a vote on something other than the work, which does not count as a vote on the work."""
        votes, vote = list(self.votes), case.full_request()
        verdict = await self._request_vote(vote)
        self.votes, self.control_characters = votes, self.control_characters + vote.length
        return verdict

    def _needs_more_votes(self, verdict: JudgeVerdict) -> bool:
        """Return whether noise could decide, or nothing was changed that could be inspected."""
        score = combined_score(verdict, self.input.work.known)
        doubtful = is_close(score, self.run.limits, self.rules.band) or not self.input.work.changed
        return verdict.votes < self.rules.votes and doubtful

    def _is_acceptable(self, verdict: JudgeVerdict) -> bool:
        return is_acceptable(verdict, self.input.work.known, self.run.limits)

    def _dimension_names(self) -> tuple[str, ...]:
        return tuple(dimension.name for dimension in self.input.rubric.dimensions)

    def _store(self, verdict: JudgeVerdict) -> None:
        """Keep a full judgment of the current work, unless it is too large to compare with."""
        self.cache.runs.pop(self.run.id, None)
        if state := capture_state(self.input.work, self.run.workspace):
            self.cache.keep_run(self.run.id, CachedJudgment(verdict, state, self.input.standard_digest))

    async def _carry_over(self, verdict: JudgeVerdict, mode: EvaluationMode, left: Sequence[str]) -> Evaluation:
        """Return a verdict in which some scores are from an earlier state."""
        keys = (self.input.rubric.find_dimension(name) for name in left)
        self.cache.carry_over(self.run.id, verdict, frozenset(one.key for one in keys if one))
        return await self._finish(verdict, mode, tuple(left))

    async def _finish(self, verdict: JudgeVerdict, mode: EvaluationMode, left: tuple[str, ...] = ()) -> Evaluation:
        """Return a verdict as an evaluation, and log how it was reached."""
        await self.run.emit(replace(self._vote_event(verdict, mode), carried_over=left))
        return to_evaluation(verdict, mode)

    def _vote_event(self, verdict: JudgeVerdict, mode: EvaluationMode) -> JudgeVoted:
        return JudgeVoted(
            self.input.rubric.name,
            tuple(vote.scores for vote in self.votes),
            note=verdict.note,
            mode=mode,
            calls=self.calls,
            characters=self.asked,
            full_characters=self.input.full_request().length,
            control_characters=self.control_characters,
            control=self.control,
        )
