"""The lines that a person reads while a run goes on."""

from dataclasses import replace

import pytest

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    Event,
    ExecutionResult,
    Facts,
    Finding,
    Hit,
    Learning,
    Limits,
    NextAction,
    Passage,
    Plan,
    Recall,
    Record,
    Score,
    Severity,
    StopReason,
    Task,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_runlog.report import Progress, format_dollars, format_size, format_tokens

pytestmark = pytest.mark.unit


def progress_lines(
    *happened: Event, run: str = "run-1", limits: Limits | None = None, verbose: bool = False
) -> list[str]:
    """The lines of these events, after a task began."""
    progress = Progress(verbose=verbose)
    started = events.TaskStarted(Task("mend it", limits=limits or Limits()))
    records = [Record(str(n), "at", run if n else "run-1", event) for n, event in enumerate((started, *happened))]
    return [line for record in records for line in progress.format_record(record)]


def judged(
    number: int, evaluation: Evaluation | None, spent: Cost | None = None, mode: EvaluationMode = EvaluationMode.FULL
) -> list[Event]:
    """The events of one iteration."""
    reply = [events.EvaluationFinished(evaluation)] if evaluation else []
    score = evaluation.score if evaluation else None
    decision = Decision(NextAction.CONTINUE, "on")
    return [
        events.ExecutionFinished(ExecutionResult("…")),
        *reply,
        events.IterationFinished(number, score, spent or Cost(), mode),
        events.DecisionMade(number, decision, Cost()),
    ]


def scored(score: float, *findings: Finding) -> Evaluation:
    return Evaluation(scores=(Score("safety", score), Score("style", 1.0)), findings=findings)


def over(decision: NextAction, reason: str = "enough", spent: Cost | None = None, iterations: int = 2) -> Event:
    return events.RunCompleted(
        Decision(decision, reason), spent or Cost(tokens=38_000, usd=0.32), iterations=iterations
    )


@pytest.mark.row("CLI-26", "CLI-37", "C49")
def test_what_was_recalled_is_counted() -> None:
    hits = (
        Hit(Learning("1", "anti_pattern", "never edit generated files\nby hand"), 0.9),
        Hit(Learning("2", "heuristic", "run the linter"), 0.8),
        Hit(Passage("3", "a task like this", kind="task"), 0.7),
        Hit(Passage("4", "another", kind="task"), 0.6),
        Hit(Passage("5", "what was said in one of them"), 0.5),
    )

    assert [
        '[recall] 2 similar tasks, 1 learning, 1 anti-pattern: "never edit generated files by hand"'
    ] == progress_lines(events.RecallFinished(Recall(hits)))
    assert ["[recall] 0 similar tasks"] == progress_lines(events.RecallFinished(Recall()))


def test_verbose_output_names_what_is_not_shown_to_measure_whether_it_helps() -> None:
    recalled = events.RecallFinished(Recall([], ["1 similar past task"]))
    lines = ["[recall] 0 similar tasks", "  not shown, to measure whether it helps: 1 similar past task"]

    assert lines == progress_lines(recalled, verbose=True)
    assert lines[:1] == progress_lines(recalled)


@pytest.mark.row("CLI-37", "CLI-41")
def test_what_a_tool_does_is_said_in_its_words() -> None:
    assert ["[execute] Reading src/api.py..."] == progress_lines(
        events.ToolCallStarted(ToolCall("1", "read_file", {"path": "src/api.py"}), "Reading src/api.py")
    )


@pytest.mark.row("CLI-37", "CLI-42")
def test_a_tool_without_words_of_its_own_is_told_with_its_answer() -> None:
    call = ToolCall("7", "slack_read", {"channel": "#engineering", "limit": 100})

    assert ["[tools] slack_read(#engineering) -> 87 msgs"] == progress_lines(
        events.ToolCallStarted(call, "slack_read"), events.ToolCallFinished(ToolResult("87 msgs", call="7"))
    )


def test_a_tool_that_was_told_already_is_not_told_with_its_answer() -> None:
    call = ToolCall("7", "read_file", {"path": "a.py"})

    assert ["[execute] Reading a.py..."] == progress_lines(
        events.ToolCallStarted(call, "Reading a.py"), events.ToolCallFinished(ToolResult("x = 1", call="7"))
    )


def test_an_answer_is_told_once_although_models_use_the_same_id_again() -> None:
    silent = [
        events.ToolCallStarted(ToolCall("7", "ping", {}), "ping"),
        events.ToolCallFinished(ToolResult("pong", call="7")),
    ]
    reading = events.ToolCallStarted(ToolCall("7", "read_file", {"path": "a.py"}), "Reading a.py")

    assert ["[tools] ping() -> pong", "[execute] Reading a.py..."] == progress_lines(
        *silent, reading, events.ToolCallFinished(ToolResult("x = 1", call="7"))
    )


@pytest.mark.row("ITER-18", "CLI-42")
def test_a_skill_that_needs_no_judging_says_so_at_the_end() -> None:
    assert ["  Not evaluated.", "[done] 1 iteration (deterministic skill), 38k tokens, $0.32"] == progress_lines(
        events.PlanReady(Plan(evaluate=False)), over(NextAction.ACCEPT, "not evaluated", iterations=1)
    )


def test_work_that_was_not_to_be_evaluated_is_not_called_a_deterministic_skill() -> None:
    lines = progress_lines(
        events.PlanReady(Plan(evaluate=False)), over(NextAction.ACCEPT, iterations=1), limits=Limits(iterations=0)
    )

    assert "[done] 1 iteration, 38k tokens, $0.32" == lines[-1]


def test_a_long_line_is_clipped_and_kept_on_one_line() -> None:
    (line,) = progress_lines(events.ToolCallStarted(ToolCall("1", "run", {}), "Running\n" + "x" * 200))

    assert "[execute] Running " + "x" * 91 + "…..." == line


@pytest.mark.row("CLI-26", "CLI-37", "C65")
def test_an_iteration_tells_its_score_its_weakest_dimension_and_its_findings() -> None:
    findings = (
        Finding("has no test"),
        Finding("naming", Severity.SUGGESTION),
        Finding("drops tables", Severity.BLOCKER),
    )

    assert ["[iter 1/3] score: 0.75 (safety: 0.50)", "  ! drops tables", "  ! has no test"] == progress_lines(
        *judged(0, scored(0.5, *findings))
    )


@pytest.mark.row("CLI-41", "C65")
def test_the_second_iteration_tells_how_it_was_judged() -> None:
    lines = progress_lines(*judged(0, scored(0.5)), *judged(1, scored(1.0), mode=EvaluationMode.INCREMENTAL))

    assert "[iter 2/3] score: 1.00 (eval: incremental)" == lines[-1]


@pytest.mark.row("CLI-41", "C47")
def test_what_was_spared_by_it_is_told_as_the_log_has_it() -> None:
    voted = events.JudgeVoted(
        "house",
        ((Score("walls", 1.0),),),
        mode=EvaluationMode.INCREMENTAL,
        calls=1,
        characters=6_000,
        full_characters=10_000,
    )
    lines = progress_lines(*judged(0, scored(0.5)), voted, *judged(1, scored(1.0), mode=EvaluationMode.INCREMENTAL))

    assert "[iter 2/3] score: 1.00 (eval: incremental, 40% tokens saved)" == lines[-1]


def test_many_findings_are_counted() -> None:
    lines = progress_lines(*judged(0, scored(0.5, *(Finding(f"finding {n}") for n in range(5)))))

    assert ["  ! finding 0", "  ! finding 1", "  ! finding 2", "  ! and 2 more"] == lines[1:]


@pytest.mark.row("CLI-41")
@pytest.mark.parametrize(
    ("passed", "evaluator", "line"),
    [
        ((True, True), "testrunner", "  All tests pass"),
        ((True, True), "lint", "  All checks pass"),
        ((True, False), "testrunner", "  1 of 2 checks fail (testrunner)"),
    ],
)
def test_checks_are_told(passed: tuple[bool, ...], evaluator: str, line: str) -> None:
    checks = tuple(Check(str(n), one, evaluator=evaluator) for n, one in enumerate(passed))

    assert line == progress_lines(*judged(0, Evaluation(checks=checks, scores=(Score("quality", 1.0),))))[-1]


@pytest.mark.parametrize(
    "unrun",
    [Evaluation(missing=("ruff did not run",)), Evaluation(findings=(Finding("cargo cannot start", rule="not run"),))],
)
def test_checks_that_could_not_run_are_not_told_to_pass(unrun: Evaluation) -> None:
    lines = progress_lines(*judged(0, replace(unrun, checks=(Check("no secret", passed=True),))))

    assert "  Not all checks could run" == lines[-1]


def test_an_iteration_that_could_not_be_judged_has_no_score() -> None:
    unjudged = Evaluation(unavailable_reason="no judge")
    checked = replace(unjudged, checks=(Check("no secret", passed=True),))

    assert ["[iter 1/3] not judged", "  Nothing was checked"] == progress_lines(*judged(0, unjudged))
    assert "  1 check passes, but the work was not judged" == progress_lines(*judged(0, checked))[-1]


def test_an_iteration_that_was_not_judged_is_not_told() -> None:
    assert [] == progress_lines(*judged(0, None, mode=EvaluationMode.SKIPPED))


@pytest.mark.row("CLI-26", "CLI-41", "C48")
@pytest.mark.parametrize(("count", "words"), [(1, "1 iteration"), (2, "2 iterations")])
def test_the_end_tells_iterations_tokens_and_dollars(count: int, words: str) -> None:
    lines = progress_lines(*judged(0, scored(1.0)), over(NextAction.ACCEPT, iterations=count))

    assert [f"[done] {words}, 38k tokens, $0.32"] == lines[1:]


@pytest.mark.parametrize(
    "reason",
    [
        "not judged, because the task is a question",
        "not judged: 1 check turned green",
        "not judged: 12 checks still pass",
    ],
)
def test_what_was_accepted_without_a_score_says_on_what_grounds(reason: str) -> None:
    lines = progress_lines(over(NextAction.ACCEPT, reason, iterations=1))

    assert [f"  {reason.capitalize()}.", "[done] 1 iteration, 38k tokens, $0.32"] == lines


@pytest.mark.row("ITER-20", "CLI-37")
@pytest.mark.parametrize(
    ("limit", "amount"),
    [("dollars", "$0.32/$0.50"), ("tokens", "38,000/40,000 tokens"), ("calls", "9/9 calls")],
)
def test_a_budget_that_is_used_up_tells_which_and_the_score(limit: str, amount: str) -> None:
    limits = Limits(usd=0.5, tokens=40_000, calls=9)
    spent = Cost(tokens=38_000, usd=0.32, calls=9, budget_tokens=38_000)
    lines = progress_lines(
        *judged(0, scored(0.5)), over(NextAction.ABORT_BUDGET, f"reached the limit of {limit}", spent), limits=limits
    )

    assert f"[abort] Budget exceeded ({amount}). Returning best result (score: 0.75)." == lines[-1]


@pytest.mark.parametrize(
    ("limit", "spent", "why"),
    [
        (
            "tokens",
            Cost(tokens=9_396, budget_tokens=9_396, calls=1),
            ["190,604 tokens left of iteration.token_budget."],
        ),
        ("dollars", Cost(usd=0.32, calls=1), ["$0.18 left of safety.max_cost_usd."]),
        (
            "tokens",
            Cost(),
            ["200,000 tokens left of iteration.token_budget. Shorten the task and its input, or raise the limit."],
        ),
        ("tokens", Cost(tokens=200_000, budget_tokens=200_000), []),
        ("calls", Cost(calls=9), []),
        ("5 dollars a day", Cost(usd=0.32), []),
    ],
)
def test_a_run_that_ends_before_its_limit_is_used_up_says_why(limit: str, spent: Cost, why: list[str]) -> None:
    limits = Limits(usd=0.5, tokens=200_000, calls=9)
    lines = progress_lines(over(NextAction.ABORT_BUDGET, f"reached the limit of {limit}", spent), limits=limits)

    refused = "  The next call was not made: it could have used more than the "
    assert why == [line.removeprefix(refused) for line in lines if line.startswith(refused)]


@pytest.mark.row("ITER-20", "TOK-01")
def test_tokens_that_a_limit_counts_otherwise_are_called_budget_tokens() -> None:
    spent, limits = Cost(tokens=90_000, budget_tokens=38_000), Limits(tokens=40_000)
    lines = progress_lines(over(NextAction.ABORT_BUDGET, "the limit of tokens is reached", spent), limits=limits)

    assert "[abort] Budget exceeded (38,000/40,000 budget tokens). Returning best result." == lines[-1]


@pytest.mark.row("CLI-37")
@pytest.mark.parametrize(
    ("decision", "tag"),
    [
        (NextAction.ABORT_TIMEOUT, "abort"),
        (NextAction.ABORT_LOOP, "abort"),
        (NextAction.ABORT_REGRESSION, "abort"),
        (NextAction.ACCEPT_BEST, "stop"),
        (NextAction.ESCALATE, "stop"),
    ],
)
def test_another_end_tells_why_first(decision: NextAction, tag: str) -> None:
    assert [
        f"[{tag}] The time is over. Returning best result (score: 0.75).",
        "[done] 2 iterations, 38k tokens, $0.32",
    ] == progress_lines(*judged(0, scored(0.5)), over(decision, "the time is over"))[1:]


@pytest.mark.parametrize("decision", [NextAction.ACCEPT_BEST, NextAction.ABORT_BUDGET, NextAction.ABORT_TIMEOUT])
def test_files_that_nobody_judged_are_listed_with_how_to_undo_them(decision: NextAction) -> None:
    work = events.ExecutionFinished(ExecutionResult("…", files=("a.py", "b.py", "c.py", "d.py")))
    decided = events.DecisionMade(0, Decision(decision, "over"), Cost())

    lines = progress_lines(work, decided, over(decision, "over"))
    judged = progress_lines(work, events.EvaluationFinished(scored(0.5)), decided, over(decision, "over"))

    assert "  Changed: a.py, b.py, c.py and 1 more. To undo this, run `openkoi undo`." in lines
    assert not any("openkoi undo" in line for line in judged)


RESUME = "  To judge the result without doing the work again, run `openkoi resume`."


@pytest.mark.parametrize("unjudged", [True, False])
def test_where_only_a_judgement_is_missing_the_way_to_get_it_is_named(unjudged: bool) -> None:
    decision = Decision(NextAction.ACCEPT_BEST, "not judged: no answer", unjudged=unjudged)

    lines = progress_lines(events.RunCompleted(decision, Cost(), iterations=1))

    assert unjudged is (RESUME in lines)


@pytest.mark.parametrize(("best", "named"), [(0, False), (1, True)])
def test_resume_is_not_named_where_an_earlier_iteration_was_restored(best: int, named: bool) -> None:
    """What resume judges is the last iteration."""
    decision = Decision(NextAction.ACCEPT_BEST, "not judged: no answer", unjudged=True)
    completed = events.RunCompleted(decision, Cost(), best=best, iterations=2)

    lines = progress_lines(*judged(0, scored(0.5)), *judged(1, Evaluation(unavailable_reason="no answer")), completed)

    assert named is (RESUME in lines)


def test_a_run_that_waits_for_approval_names_the_next_step() -> None:
    decision = Decision(NextAction.ESCALATE, "waiting for approval")
    decided = events.DecisionMade(0, decision, Cost(), Facts(end=StopReason.PERSON))

    lines = progress_lines(
        events.ExecutionFinished(ExecutionResult("")), decided, events.RunCompleted(decision, Cost(), iterations=1)
    )

    assert "  To allow it, run `openkoi approve`, then `openkoi resume`." in lines


def test_an_end_without_a_score_tells_none() -> None:
    assert "[stop] Over. Returning best result." == progress_lines(over(NextAction.ACCEPT_BEST, "over"))[0]


def test_a_run_that_failed_tells_why() -> None:
    assert ["[abort] no model answered"] == progress_lines(events.RunFailed("no model answered"))


def test_warnings_are_told() -> None:
    assert ["  ! the price is not known"] == progress_lines(events.WarningIssued("the price is not known"))


@pytest.mark.row("CLI-41", "ITER-20")
def test_a_budget_that_is_nearly_used_up_is_told_once() -> None:
    near = Cost(budget_tokens=80_000)
    lines = progress_lines(
        *judged(0, None, near), *judged(1, None, near), *judged(2, None, near), limits=Limits(iterations=9)
    )

    assert ["  ! Token budget approaching limit"] == lines


@pytest.mark.row("TOK-02")
def test_an_iteration_that_leaves_the_next_too_little_for_another_like_it_is_told() -> None:
    assert ["  ! Token budget approaching limit"] == progress_lines(
        *judged(0, None, Cost(tokens=900_000, budget_tokens=100_000))
    )
    assert [] == progress_lines(*judged(0, None, Cost(tokens=900_000, budget_tokens=60_000)))


def test_a_budget_without_dollars_is_not_nearly_used_up() -> None:
    assert [] == progress_lines(*judged(0, None), limits=Limits(usd=0.0))


def test_other_runs_are_not_told() -> None:
    assert [] == progress_lines(events.WarningIssued("of a sub-task"), events.RunFailed("its end"), run="run-2")


@pytest.mark.parametrize(
    "event",
    [
        events.ModelDelta("a word"),
        events.CycleStarted(0, 30),
        events.LearningSaved(Learning("1", "fact", "f")),
        events.UnknownEvent({"type": "acme.happened"}),
    ],
)
def test_other_events_are_not_told(event: Event) -> None:
    assert [] == progress_lines(event)


# Figures.


@pytest.mark.row("CLI-43")
@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (2_100, "2.1k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (38_000, "38k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (1_200_000, "1.2M"),
        (12_000_000, "12M"),
        (-500, "-500"),
        (-2_100, "-2.1k"),
    ],
)
def test_tokens_are_told_in_two_or_three_figures(count: int, text: str) -> None:
    assert text == format_tokens(count)


@pytest.mark.row("CLI-43")
@pytest.mark.parametrize(
    ("usd", "text"), [(0.0, "$0.00"), (0.004, "<$0.01"), (0.32, "$0.32"), (12.5, "$12.50"), (-0.32, "-$0.32")]
)
def test_dollars_are_told_in_cents(usd: float, text: str) -> None:
    assert text == format_dollars(usd)


@pytest.mark.row("CLI-43")
@pytest.mark.parametrize(
    ("size", "text"), [(0, "0KB"), (400, "0KB"), (340_000, "340KB"), (12_000_000, "12MB"), (1_600_000, "2MB")]
)
def test_sizes_are_told_in_megabytes(size: int, text: str) -> None:
    assert text == format_size(size)
