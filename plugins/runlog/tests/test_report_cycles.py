"""The tree of a run's cycles: what the model said, what it called, what that brought, and what ended it."""

from collections.abc import Sequence

import pytest

from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    Event,
    ExecutionResult,
    Message,
    NextAction,
    Part,
    Record,
    Response,
    Score,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_runlog.report import build_cycle_tree, format_tree
from openkoi_runlog.report.tree_text import format_compaction

pytestmark = pytest.mark.unit

READ = ToolCall("1", "read_file", {"path": "a.py"})
TEST = ToolCall("2", "run", {"command": "pytest"})
OVER = Decision(NextAction.ACCEPT, "the score 0.90 is good enough")


def records_of(*happened: Event, run: str = "run-1") -> list[Record]:
    return [Record(f"{run}-{n}", "at", run, one) for n, one in enumerate(happened)]


def model_response(
    *parts: Part | str, usd: float = 0.01, messages: int = 3, model: str = "acme/large"
) -> events.ModelResponse:
    whole = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return events.ModelResponse(model, Response(whole, StreamEnd(Usage(input=100))), usd, messages=messages)


def brought(call: ToolCall, text: str, *, doing: str = "", failed: bool = False) -> list[Event]:
    return [events.ToolCallStarted(call, doing), events.ToolCallFinished(ToolResult(text, call=call.id, failed=failed))]


def began(task: str = "Mend it", parent: str = "") -> list[Event]:
    return [events.TaskStarted(Task(task, parent=parent)), events.MessageAdded(Message.user(task))]


def first() -> list[Event]:
    """Two cycles, with two calls, a question, and a turn removed from the history."""
    return [
        events.CycleStarted(0, 30),
        model_response("\nLet me look.\nThen I test.", READ, TEST, messages=1),
        *brought(READ, "x = 1\ny = 2", doing="Reading a.py"),
        events.QuestionAsked("q", "This runs a command.\nAllow run?"),
        events.QuestionAnswered("q", "yes"),
        *brought(TEST, "exit 1\n3 failed", doing="run", failed=True),
        events.ToolResultsReady(0),
        model_response("notes", usd=0.5, messages=1),
        events.HistoryCompacted(1, {"read": 1, "run": 1}, 18_000, 9_200),
        events.CycleStarted(1, 30),
        model_response("It is mended."),
        events.InnerLoopEnded("answered"),
        events.ExecutionFinished(ExecutionResult("It is mended.")),
        model_response("0.9", usd=0.25, model="acme/judge"),
        events.EvaluationFinished(Evaluation(scores=(Score("quality", 0.9),))),
        events.IterationFinished(0, 0.9, Cost()),
        events.DecisionMade(0, OVER, Cost()),
    ]


FIRST = [
    "iteration 1",
    "  cycle 1  Let me look.  [200 tokens, $0.51]",
    "    Reading a.py -> x = 1",
    "    ! run(pytest) -> exit 1",
    "    ? Allow run? -> yes",
    "    ~ removed the oldest turn from the history (1 read, 1 run): 18k -> 9.2k tokens",
    "  cycle 2  It is mended.  [100 tokens, $0.01]",
    "  ended: answered",
    "  score: 0.90",
    "  calls outside the cycles  [100 tokens, $0.25]",
    "  accept: the score 0.90 is good enough",
]


def lines(records: Sequence[Record], run: str = "") -> list[str]:
    return list(format_tree(build_cycle_tree(records, run)))


@pytest.mark.row("LOOP-21")
def test_a_run_is_told_iteration_by_iteration_and_cycle_by_cycle() -> None:
    assert [
        "Mend it (run-1)",
        *FIRST,
        "accept: the score 0.90 is good enough",
        "$0.77 total (2 models)",
        "  By phase: execute $0.02, compaction $0.50, evaluate $0.25",
        "  By model: acme/large $0.52, acme/judge $0.25",
    ] == lines(records_of(*began(), *first(), events.RunCompleted(OVER, Cost())))


@pytest.mark.row("LOOP-21")
def test_a_run_that_was_killed_is_told_until_then() -> None:
    assert [
        "iteration 1",
        "  cycle 1  Let me look.  [100 tokens, $0.01]",
        "    ! Reading a.py -> no result: it may have run",
        "    ! run(pytest) -> it was not started",
        "the run has not ended",
    ] == lines(records_of(*began(), *first()[:3]))[1:6]


def test_every_beginning_of_a_run_can_be_told() -> None:
    whole = [*began(), *first(), events.RunCompleted(OVER, Cost())]

    assert all(lines(records_of(*whole[:length])) for length in range(len(whole) + 1))


def test_a_cycle_that_is_begun_again_after_an_interruption_is_told_once() -> None:
    again = [events.CycleStarted(0, 30), *first()]

    assert FIRST == lines(records_of(*began(), *again))[1:12]


def test_a_call_that_is_made_again_after_an_interruption_is_told_once() -> None:
    call = events.ToolCallStarted(READ, "Reading a.py")
    tree = lines(records_of(*began(), *first()[:2], call, *first()[2:4]))

    assert ["    Reading a.py -> x = 1"] == [line for line in tree if "Reading" in line]


def test_a_question_that_is_asked_again_is_told_once() -> None:
    event = first()[4]
    tree = lines(records_of(*began(), *first()[:4], event, *first()[4:]))

    assert ["    ? Allow run? -> yes"] == [line for line in tree if "Allow" in line]


@pytest.mark.parametrize(
    ("replies", "told_as"),
    [
        ([], "not answered yet"),
        ([events.QuestionAnswered("q", None)], "no answer"),
        ([events.QuestionAnswered("q", "")], "(nothing)"),
        ([events.QuestionAnswered("q", "use the other one\nplease")], "use the other one"),
    ],
)
def test_what_a_person_said_is_told(replies: list[Event], told_as: str) -> None:
    assert f"  ? Which one? -> {told_as}" in lines(
        records_of(*began(), events.QuestionAsked("q", "Which one?"), *replies)
    )


def test_a_turn_for_which_room_was_made_first_is_the_one_that_is_told() -> None:
    shorter = events.HistoryCompacted(3, {}, 9_000, 900)
    overflow = [events.CycleStarted(1, 30), model_response("notes", messages=1), shorter, model_response("Done.")]

    assert [
        "  cycle 2  Done.  [200 tokens, $0.02]",
        "    ~ removed the 3 oldest turns from the history: 9.0k -> 900 tokens",
    ] == lines(records_of(*began(), *first()[:1], *overflow))[2:4]


def test_a_log_that_does_not_count_what_was_removed_is_shown_without_figures() -> None:
    happened = [*began(), *first()[:1], events.HistoryCompacted(), model_response("Done.")]

    assert "    ~ shortened the history" in lines(records_of(*happened))


def test_a_turn_without_words_and_one_without_an_answer_say_so() -> None:
    silent = [events.CycleStarted(0, 30), model_response(READ), *brought(READ, ""), events.CycleStarted(1, 30)]

    assert ["  cycle 1  (no text)  [100 tokens, $0.01]", "    read_file(a.py) -> ", "  cycle 2  (no answer)"] == lines(
        records_of(*began(), *silent)
    )[2:5]


@pytest.mark.row("LOOP-21")
def test_a_part_is_told_where_it_ran_and_paid_by_the_whole() -> None:
    part = records_of(*began("Write tests", parent="run-1"), *first(), events.RunCompleted(OVER, Cost()), run="run-2")
    own = records_of(*began(), *first())
    tree = lines([*own[:5], *part, *own[5:]])

    assert ["    part: Write tests (run-2)", *(f"      {line}" for line in FIRST)] == tree[5:17]
    assert "$1.54 total (2 models)" in tree
    assert "  By phase: execute $0.79, compaction $0.50, evaluate $0.25" in tree
    assert FIRST == lines([*own[:5], *part, *own[5:]], "run-2")[1:12]


def test_an_iteration_that_waited_for_a_person_is_told_as_it_was_and_as_it_went_on() -> None:
    escalate = Decision(NextAction.ESCALATE, "a person has to allow it")
    waited = [
        *first()[:2],
        events.ExecutionFinished(ExecutionResult("")),
        events.IterationFinished(0, None, Cost()),
        events.DecisionMade(0, escalate, Cost()),
    ]
    gone_on = [
        *brought(TEST, "ok", doing="Testing"),
        events.CycleStarted(1, 30),
        model_response("Done."),
        events.ExecutionFinished(ExecutionResult("")),
    ]
    over = [events.IterationFinished(0, None, Cost()), events.DecisionMade(0, OVER, Cost())]
    tree = lines(records_of(*began(), *waited, *gone_on, *over))

    assert [
        "  escalate: a person has to allow it",
        "iteration 1",
        "  Testing -> ok",
        "  cycle 2  Done.  [100 tokens, $0.01]",
        "  accept: the score 0.90 is good enough",
    ] == tree[5:10]


def test_the_terminal_is_not_written_to_by_what_a_model_said() -> None:
    hostile = [
        events.CycleStarted(0, 30),
        model_response("\x1b[2Jgone\x07"),
        events.InnerLoopEnded("\x1b]0;x"),
        events.RunFailed("\x1b[1m"),
    ]

    assert all(line.isprintable() for line in lines(records_of(*began("\x1b[2J"), *hostile)))


@pytest.mark.parametrize(
    ("compacted", "text"),
    [
        (events.HistoryCompacted(0, {}, 9_000, 900, 1), "removed 1 image or file from the history: 9.0k -> 900 tokens"),
        (
            events.HistoryCompacted(2, {"shoot": 2}, 9_000, 900, 5),
            "removed the 2 oldest turns and 5 images and files from the history (2 shoot): 9.0k -> 900 tokens",
        ),
    ],
)
def test_a_shorter_history_says_what_images_it_lost(compacted: events.HistoryCompacted, text: str) -> None:
    assert text == format_compaction(compacted)
