"""Measure saved tokens: replay each run's records, and count what would have been sent without each saving.

Each saving is measured by itself, with the others in effect. Tokens of texts are estimated from their length; tokens
that were sent are the vendor's count. What a saving itself costs is subtracted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum

from openkoi_hookspecs import (
    Evaluation,
    EvaluationMode,
    Finding,
    Message,
    Record,
    Severity,
    Text,
    ToolResult,
    Usage,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .charges import ForkCopies
from .formatting import format_tokens
from .token_value import PriceOf, as_loss, estimate_cache_value, estimate_value, no_price

CHARACTERS_PER_TOKEN = 4  # estimate, for English text


class Saving(StrEnum):
    """A way to save tokens."""

    DELTA = "delta"
    COMPRESSION = "compression"
    EVAL_SKIP = "eval_skip"
    INCREMENTAL = "incremental"
    PROMPT_CACHE = "prompt_cache"


SAVING_TITLES = {
    Saving.DELTA: "Delta feedback",
    Saving.COMPRESSION: "Compression",
    Saving.EVAL_SKIP: "Eval skipping",
    Saving.INCREMENTAL: "Incremental eval",
    Saving.PROMPT_CACHE: "Prompt caching",
}


@dataclass(frozen=True, slots=True)
class SavedTokens:
    """Tokens saved in one way at one time; ``usd`` is None when their price is unknown."""

    at: str
    by: Saving
    tokens: int
    usd: float | None = None


@dataclass(slots=True)
class SavingsReplay:
    """The replay of one run; ``carried`` is what each turn would send in addition, by the saving that avoids it."""

    price: PriceOf = no_price
    saved: list[SavedTokens] = field(default_factory=list)
    carried: dict[Saving, int] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    last_votes: dict[str, events.JudgeVoted] = field(default_factory=dict)
    judge: tuple[str, Usage] = ("", Usage())
    size: int = 0
    added: int = 0
    side_responses: list[events.ModelResponse] = field(default_factory=list)
    compacted: bool = False
    expects_turn: bool = False
    new_conversation: bool = False
    decided: bool = False
    judged_now: bool = False

    def add_record(self, record: Record) -> None:
        """Add the run's next record."""
        match record.event:
            case events.CycleStarted():
                self.expects_turn, self.side_responses = True, []
            case events.MessageAdded(message=message, new_conversation=fresh):
                self.add_message(message, fresh=fresh)
            case events.ToolCallFinished(result=result, by_plugin=False):
                self.added, self.side_responses = self.added + estimate_tokens(result.text), []
            case events.HistoryCompacted():
                self.add_compaction(record.at)
            case events.ModelResponse() as answered:
                self.add_response(record.at, answered)
            case events.ExecutionFinished():
                self.judged_now, self.side_responses = False, []
            case events.EvaluationFinished(evaluation=evaluation):
                self.evaluation = evaluation
            case events.IterationFinished(mode=EvaluationMode.CACHED):
                self.add_reuse(record.at)
            case events.DecisionMade():
                self.decided = True
            case events.JudgeVoted() as judging:
                self.add_judgment(record.at, judging)

    def add_message(self, message: Message, *, fresh: bool) -> None:
        """Add a message; a continued conversation gets only the open findings as feedback."""
        self.added += sum(estimate_tokens(part.text) for part in message.parts if isinstance(part, (Text, ToolResult)))
        if fresh:
            self.new_conversation, self.compacted = True, self.size > 0
            self.carried.pop(Saving.DELTA, None)
        elif self.decided and self.evaluation:
            self.carried[Saving.DELTA] = self.carried.get(Saving.DELTA, 0) + estimate_tokens(
                omitted_text(self.evaluation)
            )
        self.decided = False

    def add_compaction(self, at: str) -> None:
        """Record a compaction; the responses requested for it are its costs."""
        for one in self.side_responses:
            self.add(at, Saving.COMPRESSION, -one.usage.total, as_loss(one.usd, self.price(one.model)))
        self.compacted, self.side_responses = True, []
        self.carried.pop(Saving.DELTA, None)

    def add_response(self, at: str, answered: events.ModelResponse) -> None:
        """Add a response: the executor's turn, a judge's, or a summary for compaction."""
        usage, price = answered.usage, self.price(answered.model)
        if usage.cache_read:
            self.add(at, Saving.PROMPT_CACHE, usage.cache_read, estimate_cache_value(usage, price))
        if answered.role == "evaluator":
            self.judge = answered.model, usage
        elif self.expects_turn and (answered.messages > 1 or self.new_conversation):
            self.add_turn(at, answered)
        else:
            self.side_responses.append(answered)

    def add_turn(self, at: str, answered: events.ModelResponse) -> None:
        """Add a turn of the model, which read less than without the savings."""
        sent = answered.usage.prompt
        if self.compacted and self.size:
            left = max(0, self.size + self.added - sent)
            self.carried[Saving.COMPRESSION] = self.carried.get(Saving.COMPRESSION, 0) + left
        for by, tokens in self.carried.items():
            self.add(at, by, tokens, estimate_value(tokens, answered.usage, self.price(answered.model)))
        self.size, self.added = sent + answered.usage.output, 0
        self.expects_turn = self.new_conversation = self.compacted = False

    def add_judgment(self, at: str, judging: events.JudgeVoted) -> None:
        """Record a judgment: skipped, partial, or full after a partial one."""
        first, self.judged_now = judging.rubric not in self.last_votes, True
        self.last_votes[judging.rubric] = judging
        if judging.skipped:
            self.add_characters(at, Saving.EVAL_SKIP, judging.saved_characters)
        elif judging.mode is not EvaluationMode.FULL or not first:
            self.add_characters(at, Saving.INCREMENTAL, judging.saved_characters)

    def add_reuse(self, at: str) -> None:
        """Record that unchanged work was not judged again."""
        if not self.judged_now:
            for judging in self.last_votes.values():
                self.add_characters(at, Saving.EVAL_SKIP, judging.full_characters)

    def add_characters(self, at: str, by: Saving, characters: int) -> None:
        model, usage = self.judge
        tokens = characters // CHARACTERS_PER_TOKEN
        self.add(at, by, tokens, estimate_value(tokens, usage, self.price(model)))

    def add(self, at: str, by: Saving, tokens: int, usd: float | None) -> None:
        if tokens:
            self.saved.append(SavedTokens(at, by, tokens, usd))


def measure_savings(records: Iterable[Record], price: PriceOf = no_price) -> list[SavedTokens]:
    """Return the savings in all runs; records that a fork copied are not counted again."""
    replays: dict[str, SavingsReplay] = {}
    copies = ForkCopies()
    for record in records:
        replay = replays.setdefault(record.run, SavingsReplay(price))
        before = len(replay.saved)
        replay.add_record(record)
        if copies.contains(record):
            del replay.saved[before:]
    return [saved for replay in replays.values() for saved in replay.saved]


def sum_savings(saved: Iterable[SavedTokens]) -> dict[Saving, int]:
    """Return the saved tokens by saving."""
    sums = dict.fromkeys(Saving, 0)
    for one in saved:
        sums[one.by] += one.tokens
    return sums


def format_savings(saved: Mapping[Saving, int]) -> str:
    """Format as ``Saved 9.1k tokens: prompt caching 9.0k, delta feedback 82``, largest first; losses are negative."""
    parts = sorted(((tokens, by) for by, tokens in saved.items() if tokens), reverse=True)
    named = ", ".join(f"{SAVING_TITLES[by].lower()} {format_tokens(tokens)}" for tokens, by in parts)
    return f"Saved {format_tokens(sum(saved.values()))} tokens: {named}"


def omitted_text(evaluation: Evaluation) -> str:
    """Return the parts of an evaluation that the next iteration does not see: scores, suggestions, check output."""
    scores = [f"{score.dimension}: {score.value:g}" for score in evaluation.scores]
    checks = [f"{check.name}: {'passed' if check.passed else 'failed'}" for check in evaluation.checks]
    return "\n".join([*scores, *checks, *filter(None, map(omitted_finding_text, evaluation.findings)), evaluation.log])


def omitted_finding_text(finding: Finding) -> str:
    """Return the part of a finding that is not shown: a suggestion, or the reason if a fix is given."""
    if finding.severity is Severity.SUGGESTION:
        return f"- [{finding.severity}] {finding.title} ({finding.where}): {finding.detail} {finding.fix}"
    return finding.detail if finding.fix else ""


def estimate_tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN
