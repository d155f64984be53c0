"""A run as a person reads it while it happens: one record in, a few plain lines out. Knows words; knows no terminal."""

from collections.abc import Sequence

from openkoi_hookspecs import (
    Cost,
    Evaluation,
    EvaluationMode,
    Learning,
    Limits,
    NextAction,
    Passage,
    Recall,
    Record,
    Severity,
    StopReason,
    ToolCall,
    events,
)

from .figures import dollars, format_list, plural, tokens_text, truncate_line
from .iterations import share_saved
from .report import RunReport
from .shares import share
from .tree import compaction_text, signature

SHOWN = 3
TESTS = "testrunner"
NOT_RUN = "not run"  # the rule of a finding that says why tests were not run
JUDGE_AGAIN = {
    (NextAction.ACCEPT_BEST, ""): "  To judge this without doing the work again, run `openkoi resume`.",
    (NextAction.ABORT_BUDGET, "dollars"): "  To judge this, raise the limit: `openkoi resume --budget USD`.",
}
APPROVE = "  To allow it, run `openkoi approve`, then `openkoi resume`."
LEAST = 0.005
NEAR_LIMIT = 0.8


class Progress:
    """Turns the records of one run into lines. ``report`` is what it came to so far; a ``verbose`` one itemises it."""

    def __init__(self, *, verbose: bool = False) -> None:
        self.verbose = verbose
        self.report = RunReport()
        self.warned = False
        self.unsaid: dict[str, ToolCall] = {}

    def lines(self, record: Record) -> Sequence[str]:
        """What there is to say of a record."""
        self.report.take(record)
        if record.run != self.report.run:
            return ()
        match record.event:
            case events.TaskStarted(first=True, model=model, origin=origin):
                return found_lines(model, origin)
            case events.RecallFinished(recall=recall):
                return [f"[recall] {format_recall(recall)}"]
            case events.ToolCallStarted(call=call, progress_text=doing):
                if doing != call.tool:
                    return [f"[execute] {truncate_line(doing)}{' ' * doing.endswith('.')}..."]
                self.unsaid[call.id] = call
                return []
            case events.ToolCallFinished(result=result) if result.call in self.unsaid:
                return [f"[tools] {signature(self.unsaid.pop(result.call))} -> {truncate_line(result.text, 60)}"]
            case events.ToolCallFinished(result=result) if result.failed:
                return [f"  ! {truncate_line(result.text)}"]
            case events.DecisionMade(iteration=number):
                return [*self.iteration_lines(number), *self.near_limit()]
            case events.HistoryCompacted() as compressed:
                return [f"[compact] {compaction_text(compressed)}"]
            case events.RunCompleted():
                return [*self.over(), *(self.report.costs.lines if self.verbose else ())]
            case events.LearningSaved():
                return ()
            case events.WarningIssued(text=text):
                return [f"  ! {text}"]
            case events.RunFailed(reason=reason):
                return [f"[abort] {reason}"]
            case _:
                return [record.event.line] if record.event.line else ()

    def activity(self, record: Record) -> str:
        """What goes on from now, in a few words; empty when that has not changed."""
        match record.event:
            case events.ToolCallStarted(progress_text=doing):
                return truncate_line(doing)
            case events.CycleStarted() | events.ToolResultsReady():
                return "Thinking"
            case events.InnerLoopEnded():
                return "Judging"
            case _:
                return ""

    def iteration_lines(self, number: int) -> list[str]:
        one = self.report.decided(number)
        if one.evaluation is None and one.score is None:
            return []
        most = self.report.task.effective_limits.iterations if self.report.task else 0
        score = f"score: {one.score:.2f}" if one.score is not None else "not judged"
        evaluation = one.evaluation or Evaluation()
        notes = ", ".join(filter(None, (weakest(evaluation), how(one.mode, self.report.judgings.get(number, ())))))
        line = f"[iter {number + 1}/{most}] {score}" + (f" ({notes})" if notes else "")
        return [line, *format_evaluation(evaluation)]

    def near_limit(self) -> list[str]:
        task, there = self.report.task, self.report.iterations
        if task is None or self.warned or not there or (there[-1].decision and there[-1].decision.final):
            return []
        spent, limits = sum((one.cost for one in there), Cost()), task.effective_limits
        next_one = share(limits.tokens - spent.budget_tokens, len(there), limits.iterations)
        scarce = len(there) < limits.iterations and there[-1].cost.budget_tokens > next_one
        near = spent.budget_tokens >= NEAR_LIMIT * limits.tokens or spent.usd >= NEAR_LIMIT * limits.usd > 0
        self.warned = scarce or near
        return ["  ! Token budget approaching limit"] if self.warned else []

    def over(self) -> list[str]:
        completed = self.report.completion
        assert completed is not None
        decision, spent = completed.decision.action, completed.cost
        count = f"{completed.iterations} iteration{'' if completed.iterations == 1 else 's'}"
        count += " (deterministic skill)" if self.report.deterministic else ""
        done = f"[done] {count}, {tokens_text(spent.tokens)} tokens, {dollars(spent.usd)}"
        if decision is NextAction.ACCEPT:
            return [done] if self.report.score is not None else [f"  {sentence(completed.decision.reason)}", done]
        score = f" (score: {self.report.score:.2f})" if self.report.score is not None else ""
        if decision is NextAction.ABORT_BUDGET and self.report.task:
            amount = used_up(completed.decision.reason, spent, self.report.task.effective_limits)
            return [f"[abort] Budget exceeded ({amount}). Returning best result{score}.", *self.left()]
        tag = "abort" if decision.value.startswith("abort") else "stop"
        return [f"[{tag}] {sentence(completed.decision.reason)} Returning best result{score}.", *self.left(), done]

    def left(self) -> list[str]:
        """Name the files that an unaccepted run left behind, and what to run next."""
        files, scored = self.report.changed_files, self.report.score is not None
        named = f"  Changed: {format_list(files, SHOWN)}. To undo this, run `openkoi undo`."
        return [*([named] if files and not scored else []), *filter(None, (self.next_step,))]

    @property
    def next_step(self) -> str:
        """How to get what is missing: an approval, or a judgement of the last iteration."""
        completed, last = self.report.completion, self.report.decided(-1)
        if completed is None:
            return ""
        if last.facts.end is StopReason.PERSON:
            return APPROVE
        if (
            not completed.decision.unjudged or self.report.best.number != last.number
        ):  # `openkoi resume` judges the last one
            return ""
        return JUDGE_AGAIN.get((completed.decision.action, last.facts.limit), "")


def found_lines(model: str, origin: str) -> list[str]:
    """What a person reads once, on the first run: which model is used, and why that one."""
    provider, _, bare = model.partition("/")
    return [f"  Found: {provider} ({origin})", f"  Using: {bare}", ""]


OF_TASK = frozenset({"dollars", "calls", "tokens", "the budget"})
"""The limits of a task; any other one is that of a budget, which knows its numbers."""


def used_up(reason: str, spent: Cost, limits: Limits) -> str:
    """How much of the limit that ended it was used."""
    limit = reason.removeprefix("reached the limit of ")
    if limit != reason and limit not in OF_TASK:
        return f"limit of {limit}"
    if "dollars" in reason:
        return f"{dollars(spent.usd)}/{dollars(limits.usd)}"
    if "calls" in reason:
        return f"{spent.calls:,}/{limits.calls:,} calls"
    weighted = spent.budget_tokens != spent.tokens
    return f"{spent.budget_tokens:,}/{limits.tokens:,} {'budget tokens' if weighted else 'tokens'}"


def sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].removesuffix('.')}."


def format_recall(recall: Recall) -> str:
    """``2 similar tasks, 1 anti-pattern: "..."``: what was put into the prompt."""
    learned = [hit.item for hit in recall.hits if isinstance(hit.item, Learning)]
    traps = [memo for memo in learned if memo.kind == "anti_pattern"]
    tasks = sum(isinstance(hit.item, Passage) and hit.item.kind == "task" for hit in recall.hits)
    parts = [plural(tasks, "similar task")]
    if len(learned) > len(traps):
        parts.append(plural(len(learned) - len(traps), "learning"))
    if traps:
        parts.append(f'{plural(len(traps), "anti-pattern")}: "{truncate_line(traps[0].text)}"')
    return ", ".join(parts)


def weakest(evaluation: Evaluation) -> str:
    """The dimension that scored least, when one did badly."""
    if not evaluation.scores:
        return ""
    least = min(evaluation.scores, key=lambda score: score.value)
    return f"{least.dimension}: {least.value:.2f}" if least.value < 1 else ""


def how(mode: EvaluationMode, judgings: Sequence[events.JudgeVoted]) -> str:
    """How it was judged, and what that spared."""
    if mode is EvaluationMode.FULL:
        return ""
    spared = share_saved(judgings)
    return f"eval: {mode}" + (f", {spared:.0%} tokens saved" if spared >= LEAST else "")


def format_evaluation(evaluation: Evaluation) -> list[str]:
    """Return the findings that matter, and the results of checks."""
    ranked = sorted(evaluation.open, key=lambda finding: finding.severity is not Severity.BLOCKER)
    lines = [f"  ! {truncate_line(finding.title)}" for finding in ranked[:SHOWN]]
    if len(ranked) > SHOWN:
        lines.append(f"  ! and {len(ranked) - SHOWN} more")
    return [*lines, *format_checks(evaluation)]


def format_checks(evaluation: Evaluation) -> list[str]:
    red, total = sum(not check.passed for check in evaluation.checks), len(evaluation.checks)
    if red:
        return [f"  {red} of {total} checks fail"]
    if evaluation.missing or any(finding.rule == NOT_RUN for finding in evaluation.findings):
        return ["  Not all checks could run"]
    tested = any(check.evaluator == TESTS for check in evaluation.checks)
    return [f"  All {'tests' if tested else 'checks'} pass"] if total else []
