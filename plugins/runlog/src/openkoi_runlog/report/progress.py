"""Format each record of a run as progress lines."""

from collections.abc import Sequence

from openkoi_base.counts import format_count
from openkoi_base.files.diffs import format_names
from openkoi_base.printable import indent_further
from openkoi_hookspecs import (
    Cost,
    Evaluation,
    EvaluationMode,
    Learning,
    NextAction,
    Passage,
    Recall,
    Record,
    Severity,
    StopReason,
    ToolCall,
    ToolResult,
    events,
)

from .formatting import format_dollars, format_held_out, format_tokens, truncate_line
from .report import RunReport
from .token_shares import share_tokens

MAX_SHOWN = 3
TEST_EVALUATOR = "testrunner"
NOT_RUN_RULE = "not run"  # the rule of a finding that says why tests were not run
JUDGE_AGAIN = {
    (NextAction.ACCEPT_BEST, ""): "  To judge the result without doing the work again, run `openkoi resume`.",
    (NextAction.ABORT_BUDGET, "dollars"): "  To judge the result, raise the limit: `openkoi resume --budget USD`.",
}
APPROVE = "  To allow it, run `openkoi approve`, then `openkoi resume`."
MIN_SHARE_SHOWN = 0.005  # half a percent; smaller shares round to 0 % (arithmetic)
NEAR_LIMIT = 0.8  # share of a limit from which progress warns about it (estimate)


class Progress:
    """Formats the records of one run; ``report`` is its state so far, ``verbose`` adds costs by phase and model."""

    def __init__(self, *, verbose: bool = False) -> None:
        self.verbose = verbose
        self.report = RunReport()
        self.warned = False
        self.unannounced: dict[str, ToolCall] = {}

    def format_record(self, record: Record) -> Sequence[str]:
        """Return the progress lines for a record."""
        self.report.add_record(record)
        if record.run != self.report.run:
            return ()
        match record.event:
            case events.TaskStarted(first=True, model=model, origin=origin):
                return format_first_run(model, origin)
            case events.RecallFinished(recall=recall):
                return [
                    f"[recall] {format_recall(recall)}",
                    *(format_held_out(recall.held_out) if self.verbose else ()),
                ]
            case events.ToolCallStarted(call=call, progress_text=doing):
                if doing != call.tool:
                    return [f"[execute] {truncate_line(doing)}{' ' * doing.endswith('.')}..."]
                self.unannounced[call.id] = call
                return []
            case events.ToolCallFinished(result=result) if result.call in self.unannounced:
                return [format_call(self.unannounced.pop(result.call), result)]
            case events.ToolCallFinished(result=result) if result.failed:
                return [f"  ! {truncate_line(result.text)}"]
            case events.DecisionMade(iteration=number):
                return [*self.format_iteration(number), *self.warn_near_limit()]
            case events.HistoryCompacted() as compacted:
                from .tree_text import format_compaction

                return [f"[compact] {format_compaction(compacted)}"]
            case events.RunCompleted():
                return [*self.format_completion(), *(self.report.costs.lines if self.verbose else ())]
            case events.LearningSaved():
                return ()
            case events.WarningIssued(text=text):
                return [indent_further(f"  ! {text}")]
            case events.RunFailed(reason=reason):
                return [indent_further(f"[abort] {reason}")]
            case _:
                return [record.event.line] if record.event.line else ()

    @property
    def max_iterations(self) -> int:
        """The task's limit of iterations; 0 if nothing is evaluated, or the task is not known."""
        return self.report.task.effective_limits.iterations if self.report.task else 0

    def format_iteration(self, number: int) -> list[str]:
        one = self.report.find_iteration(number)
        if one.evaluation is None and one.score is None:
            return []
        score = f"score: {one.score:.2f}" if one.score is not None else "not judged"
        evaluation = one.evaluation or Evaluation()
        notes = ", ".join(
            filter(None, (format_weakest(evaluation), format_mode(one.mode, self.report.judgings.get(number, ()))))
        )
        line = f"[iter {number + 1}/{self.max_iterations}] {score}" + (f" ({notes})" if notes else "")
        return [line, *format_evaluation(evaluation)]

    def warn_near_limit(self) -> list[str]:
        task, iterations = self.report.task, self.report.iterations
        if task is None or self.warned or not iterations or (iterations[-1].decision and iterations[-1].decision.final):
            return []
        spent, limits = sum((one.cost for one in iterations), Cost()), task.effective_limits
        next_one = share_tokens(limits.tokens - spent.budget_tokens, len(iterations), limits.iterations)
        scarce = len(iterations) < limits.iterations and iterations[-1].cost.budget_tokens > next_one
        near = spent.budget_tokens >= NEAR_LIMIT * limits.tokens or spent.usd >= NEAR_LIMIT * limits.usd > 0
        self.warned = scarce or near
        return ["  ! Token budget approaching limit"] if self.warned else []

    def format_completion(self) -> list[str]:
        completed = self.report.completion
        assert completed is not None
        decision, spent = completed.decision.action, completed.cost
        count = f"{completed.iterations} iteration{'' if completed.iterations == 1 else 's'}"
        count += " (deterministic skill)" if self.report.deterministic else ""
        done = f"[done] {count}, {format_tokens(spent.tokens)} tokens, {format_dollars(spent.usd)}"
        if decision is NextAction.ACCEPT:
            return [done] if self.report.score is not None else [f"  {to_sentence(completed.decision.reason)}", done]
        score = f" (score: {self.report.score:.2f})" if self.report.score is not None else ""
        if decision is NextAction.ABORT_BUDGET and self.report.task:
            from .limit_use import explain_unused, format_limit_use

            use = completed.decision.reason, spent, self.report.task.effective_limits
            ended = f"[abort] Budget exceeded ({format_limit_use(*use)}). Returning best result{score}."
            return [*explain_unused(*use), ended, *self.format_leftovers()]
        tag = "abort" if decision.value.startswith("abort") else "stop"
        return [
            f"[{tag}] {to_sentence(completed.decision.reason)} Returning best result{score}.",
            *self.format_leftovers(),
            done,
        ]

    def format_leftovers(self) -> list[str]:
        """Name the files that an unaccepted run left changed, and the next command to run."""
        files, scored = self.report.changed_files, self.report.score is not None
        named = f"  Changed: {format_names(files, MAX_SHOWN)}. To undo this, run `openkoi undo`."
        return [*([named] if files and not scored else []), *filter(None, (self.next_step,))]

    @property
    def next_step(self) -> str:
        """The next command to run, to get an approval or a judgment of the last iteration."""
        completed, last = self.report.completion, self.report.find_iteration(-1)
        if completed is None:
            return ""
        if last.facts.end is StopReason.PERSON:
            return APPROVE
        if (
            not completed.decision.unjudged or self.report.best.number != last.number
        ):  # `openkoi resume` judges the last one
            return ""
        return JUDGE_AGAIN.get((completed.decision.action, last.facts.limit), "")


def format_call(call: ToolCall, result: ToolResult) -> str:
    """Return the line of a call without progress text, and its result."""
    from .tree_text import format_signature

    return f"[tools] {format_signature(call)} -> {truncate_line(result.text, 60)}"


def format_first_run(model: str, origin: str) -> list[str]:
    """Return the lines that introduce the model found on the first run, and where it was found."""
    provider, _, bare = model.partition("/")
    return [f"  Found: {provider} ({origin})", f"  Using: {bare}", ""]


def to_sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].removesuffix('.')}."


def format_recall(recall: Recall) -> str:
    """Summarise what was added to the prompt: ``2 similar tasks, 1 anti-pattern: "..."``."""
    learned = [hit.item for hit in recall.hits if isinstance(hit.item, Learning)]
    traps = [memo for memo in learned if memo.kind == "anti_pattern"]
    tasks = sum(isinstance(hit.item, Passage) and hit.item.kind == "task" for hit in recall.hits)
    parts = [format_count(tasks, "similar task")]
    if len(learned) > len(traps):
        parts.append(format_count(len(learned) - len(traps), "learning"))
    if traps:
        parts.append(f'{format_count(len(traps), "anti-pattern")}: "{truncate_line(traps[0].text)}"')
    return ", ".join(parts)


def format_weakest(evaluation: Evaluation) -> str:
    """Return the lowest-scored dimension, if it is below 1."""
    if not evaluation.scores:
        return ""
    least = min(evaluation.scores, key=lambda score: score.value)
    return f"{least.dimension}: {least.value:.2f}" if least.value < 1 else ""


def format_mode(mode: EvaluationMode, judgings: Sequence[events.JudgeVoted]) -> str:
    """Return how an iteration was evaluated, and the share of tokens that this saved."""
    if mode is EvaluationMode.FULL:
        return ""
    from .result_json import share_saved

    saved = share_saved(judgings)
    return f"eval: {mode}" + (f", {saved:.0%} tokens saved" if saved >= MIN_SHARE_SHOWN else "")


def format_evaluation(evaluation: Evaluation) -> list[str]:
    """Return the findings that matter, and the results of checks."""
    ranked = sorted(evaluation.open, key=lambda finding: finding.severity is not Severity.BLOCKER)
    lines = [f"  ! {truncate_line(finding.title)}" for finding in ranked[:MAX_SHOWN]]
    if len(ranked) > MAX_SHOWN:
        lines.append(f"  ! and {len(ranked) - MAX_SHOWN} more")
    return [*lines, *format_checks(evaluation)]


def format_checks(evaluation: Evaluation) -> list[str]:
    """Return how many checks fail, and whose they are; or that all pass, and whether the work was judged."""
    red, total = [check for check in evaluation.checks if not check.passed], len(evaluation.checks)
    if red:
        whose = ", ".join(dict.fromkeys(check.evaluator for check in red if check.evaluator))
        return [f"  {len(red)} of {total} checks fail" + (f" ({whose})" if whose else "")]
    if evaluation.missing or any(finding.rule == NOT_RUN_RULE for finding in evaluation.findings):
        return ["  Not all checks could run"]
    if evaluation.unavailable_reason:
        passed = format_count(total, "check passes", "checks pass")
        return [f"  {passed}, but the work was not judged" if total else "  Nothing was checked"]
    tested = any(check.evaluator == TEST_EVALUATOR for check in evaluation.checks)
    return [f"  All {'tests' if tested else 'checks'} pass"] if total else []
