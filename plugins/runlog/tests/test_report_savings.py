"""What was spared is told by the records alone: each way of sparing, and less where it cost more than it spared."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    Event,
    ExecutionResult,
    Finding,
    Message,
    NextAction,
    Plan,
    Price,
    Record,
    Response,
    Score,
    Severity,
    StreamEnd,
    Task,
    Text,
    ToolResult,
    Usage,
    events,
)
from openkoi_runlog.report import SavedTokens, Saving, build_report, measure_savings, sum_savings

PRICE = Price(2.0, 10.0, 0.2, 2.5)
GO_ON = Decision(NextAction.CONTINUE, "on")
VOTE = (Score("walls", 0.5, 1.0),)
LOG = "1 failed, 12 passed\n" * 40


def records_of(*happened: Event, run: str = "run-1", segment: str = "s-1.jsonl") -> list[Record]:
    return [
        Record(f"{run}-{n}", f"2026-11-21T10:00:{n:02}Z", run, one, segment=segment) for n, one in enumerate(happened)
    ]


def asked(usage: Usage, *, role: str = "executor", messages: int = 3, usd: float = 0.0) -> Event:
    return events.ModelResponse(
        "acme/large", Response((Text("…"),), StreamEnd(usage)), usd, role=role, messages=messages
    )


def turn(sent: int, output: int = 0, *, cached: int = 0) -> list[Event]:
    """A turn of the model, which is sent so many tokens."""
    return [events.CycleStarted(0, 30), asked(Usage(input=sent - cached, output=output, cache_read=cached))]


def user_message(text: str, *, fresh: bool = False) -> Event:
    return events.MessageAdded(Message.user(text), new_conversation=fresh)


def over(number: int, mode: EvaluationMode = EvaluationMode.FULL) -> list[Event]:
    return [events.IterationFinished(number, 0.5, Cost(), mode), events.DecisionMade(number, GO_ON, Cost())]


def spared(*happened: Event) -> dict[Saving, int]:
    """What was spared, where anything was."""
    return {by: tokens for by, tokens in sum_savings(measure_savings(records_of(*happened))).items() if tokens}


BEGIN = [events.TaskStarted(Task("mend it")), events.PlanReady(Plan()), user_message("mend it", fresh=True)]


@pytest.mark.row("C47", "TOK-11")
def test_what_was_read_from_the_cache_would_have_been_read_anew_at_its_full_price() -> None:
    event = asked(Usage(input=100, cache_write=1_000))
    again = asked(Usage(input=50, cache_read=1_000, cache_write=200))
    (saved,) = measure_savings(records_of(*BEGIN, event, again), lambda _: PRICE)

    assert (Saving.PROMPT_CACHE, 1_000) == (saved.by, saved.tokens)
    assert pytest.approx((1_000 * 1.8 - 200 * 0.5) / 1e6) == saved.usd


@pytest.mark.row("C47", "TOK-11", "TOK-06")
def test_what_an_evaluation_says_besides_what_is_open_would_have_been_sent_with_each_turn() -> None:
    open_one = Finding("wrong order", detail="d" * 80, fix="sort it")
    hint = Finding("naming", Severity.SUGGESTION, detail="x" * 100)
    evaluation = Evaluation(scores=(Score("walls", 0.5),), findings=(open_one, hint), log=LOG)
    judged = [events.ExecutionFinished(ExecutionResult("done")), events.EvaluationFinished(evaluation), *over(0)]
    left_out = len("walls: 0.5\n") + 80 + 1 + len("- [suggestion] naming (): ") + 100 + 2 + len(LOG)

    first = spared(*BEGIN, *turn(500), *judged)
    then = spared(*BEGIN, *turn(500), *judged, user_message("Fix 1 issue"), *turn(600), *turn(700))

    assert {} == first
    assert {Saving.DELTA: 2 * (left_out // 4)} == then


@pytest.mark.row("C47", "TOK-11")
def test_what_was_put_aside_would_have_been_sent_with_each_turn_after() -> None:
    results = events.ToolCallFinished(ToolResult("r" * 400))
    summed = [events.ToolResultsReady(0), asked(Usage(input=200, output=50), messages=1), events.HistoryCompacted()]

    assert {Saving.COMPRESSION: 2 * (1_000 + 100 + 100 - 300) - 250} == spared(
        *BEGIN, *turn(1_000, 100), results, *summed, *turn(300, 10), *turn(320)
    )


@pytest.mark.row("C47", "TOK-11")
def test_a_conversation_that_begins_anew_leaves_out_the_one_before() -> None:
    assert {Saving.COMPRESSION: 1_000 + 100 + 5 - 400} == spared(
        *BEGIN, *turn(1_000, 100), *over(0), user_message("a" * 20, fresh=True), *turn(400)
    )


def test_a_way_that_cost_more_than_it_spared_is_told_as_a_loss() -> None:
    summed = [asked(Usage(input=900, output=300), messages=1), events.HistoryCompacted()]
    saved = measure_savings(records_of(*BEGIN, *turn(1_000), *summed, *turn(900)), lambda _: PRICE)

    assert 100 - 1_200 == sum_savings(saved)[Saving.COMPRESSION]


def voted(mode: EvaluationMode, asked: int, *, calls: int = 1, votes: int = 1, aside: int = 0) -> Event:
    return events.JudgeVoted(
        "house",
        (VOTE,) * votes,
        mode=mode,
        calls=calls,
        characters=asked,
        full_characters=8_000,
        control_characters=aside,
    )


@pytest.mark.row("C47", "TOK-11", "EVAL-18")
@pytest.mark.parametrize(
    ("judgement", "expected"),
    [
        (voted(EvaluationMode.FULL, 8_000), {}),
        (voted(EvaluationMode.FULL, 24_000, calls=3, votes=3), {}),
        (voted(EvaluationMode.FULL, 24_000, calls=3, votes=1), {}),
        (voted(EvaluationMode.FULL, 26_000, calls=4, votes=1), {Saving.INCREMENTAL: -500}),
        (voted(EvaluationMode.FULL, 9_000, calls=2, aside=1_000), {}),
        (voted(EvaluationMode.INCREMENTAL, 2_000), {Saving.INCREMENTAL: 1_500}),
        (voted(EvaluationMode.CACHED, 2_000), {Saving.INCREMENTAL: 1_500}),
        (voted(EvaluationMode.FULL, 10_000, calls=2), {Saving.INCREMENTAL: -500}),
        (voted(EvaluationMode.FULL, 5_000), {Saving.INCREMENTAL: 750}),
        (voted(EvaluationMode.SKIPPED, 0, calls=0, votes=0), {Saving.EVAL_SKIP: 2_000}),
        (voted(EvaluationMode.CACHED, 0, calls=0, votes=0), {Saving.EVAL_SKIP: 2_000}),
    ],
    ids=[
        "full",
        "three votes",
        "two votes of three failed",
        "two of three failed after a part in vain",
        "a question aside",
        "a part",
        "nothing affected",
        "in vain",
        "reread",
        "left out",
        "equal",
    ],
)
def test_a_judgement_that_was_spared_would_have_been_one_in_full(judgement: Event, expected: dict[Saving, int]) -> None:
    assert expected == spared(
        *BEGIN,
        voted(EvaluationMode.FULL, 8_000),
        *over(0),
        events.ExecutionFinished(ExecutionResult("x")),
        judgement,
        *over(1),
    )


def test_the_same_work_again_is_a_judgement_that_nobody_was_asked_for() -> None:
    again = [events.ExecutionFinished(ExecutionResult("x")), *over(1, EvaluationMode.CACHED)]

    assert {Saving.EVAL_SKIP: 2_000} == spared(*BEGIN, voted(EvaluationMode.FULL, 8_000), *over(0), *again)


def test_what_a_fork_took_over_was_spared_once() -> None:
    past = [*BEGIN, *turn(500, cached=400), *over(0)]
    own = turn(700, cached=600)
    records = [
        *records_of(*past),
        *records_of(events.RunForked("run-1", 1, {}), *past, *own, run="run-2", segment="s-2.jsonl"),
    ]

    assert 400 + 600 == sum_savings(measure_savings(records))[Saving.PROMPT_CACHE]


def test_the_result_tells_it_too_and_with_sub_tasks() -> None:
    part = records_of(events.TaskStarted(Task("a part", parent="run-1")), *turn(90, cached=50), run="run-2")
    records = [*records_of(*BEGIN, *turn(100, cached=80)), *part]

    assert {
        "delta": 0,
        "compression": 0,
        "eval_skip": 0,
        "incremental": 0,
        "prompt_cache": 130,
    } == build_report(records).build_result()["saved_tokens"]


def test_a_price_that_is_not_known_makes_no_dollars() -> None:
    assert [None] == [saved.usd for saved in measure_savings(records_of(*BEGIN, *turn(100, cached=80)))]


NUMBERS = st.integers(0, 500)
HAPPENED: st.SearchStrategy[Sequence[Event]] = st.lists(
    st.one_of(
        st.builds(lambda sent, out: asked(Usage(input=sent, output=out)), NUMBERS, NUMBERS),
        st.sampled_from(
            [
                events.CycleStarted(0, 30),
                events.ExecutionFinished(ExecutionResult("x")),
                *over(0),
                voted(EvaluationMode.FULL, 8_000),
            ]
        ),
    ),
    max_size=12,
)


@given(HAPPENED)
def test_where_nothing_is_spared_nothing_is_told(happened: Sequence[Event]) -> None:
    assert [] == measure_savings(records_of(*BEGIN, *happened))


@given(
    HAPPENED,
    st.permutations(
        [
            events.HistoryCompacted(),
            user_message("again"),
            user_message("anew", fresh=True),
            voted(EvaluationMode.CACHED, 9),
        ]
    ),
)
def test_whatever_the_order_it_is_a_number(happened: Sequence[Event], more: Sequence[Event]) -> None:
    saved = measure_savings(records_of(*happened, *more, *happened), lambda _: PRICE)

    assert all(isinstance(one, SavedTokens) and one.tokens and one.usd is not None for one in saved)
