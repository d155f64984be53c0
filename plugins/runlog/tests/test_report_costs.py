"""What a run cost, by phase and by model, told by the order of its records alone."""

from collections.abc import Sequence
from math import fsum

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
    Learning,
    Message,
    NextAction,
    Plan,
    Recall,
    Record,
    Response,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_runlog.report import (
    CHARGE_EVENTS,
    Costs,
    Progress,
    build_cycle_tree,
    build_report,
    collect_charges,
    format_tree,
    sum_charges,
)
from openkoi_runlog.report.costs import ModelCost

GOING_ON, OVER = Decision(NextAction.CONTINUE, "on"), Decision(NextAction.ACCEPT, "good")


def records_of(*happened: Event, run: str = "run-1", segment: str = "s-1.jsonl") -> list[Record]:
    return [
        Record(f"{run}-{n}", f"2026-11-21T10:00:{n:02}Z", run, one, segment=segment) for n, one in enumerate(happened)
    ]


def asked(usd: float, model: str = "acme/large", *, messages: int = 3, role: str = "executor") -> events.ModelResponse:
    reply = Response((Text("…"),), StreamEnd(Usage(input=round(usd * 1_000))))
    return events.ModelResponse(model, reply, usd, role=role, messages=messages)


def cycle(usd: float, number: int = 0, messages: int = 3) -> list[Event]:
    """A turn of the model with one call."""
    call = events.ToolCallStarted(ToolCall("c", "read", {}))
    return [
        events.CycleStarted(number, 30),
        asked(usd, messages=messages),
        call,
        events.ToolCallFinished(ToolResult("x", call="c")),
        events.ToolResultsReady(number),
    ]


def whole() -> list[Event]:
    """A task in which a model is asked at every phase, for another power of two each."""
    return [
        events.TaskStarted(Task("mend it"), model="acme/large"),
        asked(1, "acme/small", role="small"),
        events.RecallFinished(Recall()),
        asked(2, role="planner"),
        events.PlanReady(Plan()),
        events.MessageAdded(Message.user("mend it"), new_conversation=True),
        *cycle(4, messages=1),
        asked(8, messages=1),
        events.HistoryCompacted(),
        *cycle(16, 1),
        events.InnerLoopEnded("answered"),
        events.ExecutionFinished(ExecutionResult("done")),
        asked(32, "acme/judge", messages=1, role="evaluator"),
        events.EvaluationFinished(Evaluation()),
        events.IterationFinished(0, None, Cost(), EvaluationMode.FULL),
        events.DecisionMade(0, GOING_ON, Cost()),
        asked(64, "acme/small", role="small"),
        events.MessageAdded(Message.user("again")),
        *cycle(128),
        events.ExecutionFinished(ExecutionResult("better")),
        events.IterationFinished(1, None, Cost(), EvaluationMode.SKIPPED),
        events.DecisionMade(1, OVER, Cost()),
        events.RunCompleted(OVER, Cost(), best=1, iterations=2),
        asked(256, "acme/small", messages=1, role="small"),
        events.LearningSaved(Learning("l", "fact", "f")),
    ]


def phases(costs: Costs) -> dict[str, float]:
    return {str(phase): cost.usd for phase, cost in costs.by_phase.items()}


@pytest.mark.row("TOK-01", "SAFE-04", "SAFE-11")
def test_every_call_is_charged_to_the_phase_it_was_made_in() -> None:
    expected = {"recall": 1, "plan": 2, "execute": 4 + 16 + 128, "compaction": 8, "evaluate": 32, "decide": 64}

    assert {**expected, "learn": 256} == phases(build_report(records_of(*whole())).costs)


def test_an_answer_that_broke_off_is_paid_for_too() -> None:
    happened = whole()
    broken = events.ModelResponseBroken("acme/large", Usage(input=512), 512.0)
    before, after = (build_report(records_of(*some)) for some in (happened, [*happened[:9], broken, *happened[9:]]))

    assert 512.0 == sum(phases(after.costs).values()) - sum(phases(before.costs).values())
    assert 512 == after.iterations[0].usage.input - before.iterations[0].usage.input


@pytest.mark.row("SAFE-04", "TOK-01")
def test_costs_are_summed_up_by_model_and_in_one_line() -> None:
    costs = build_report(records_of(*whole())).costs

    assert {"acme/small": 1 + 64 + 256, "acme/large": 2 + 4 + 8 + 16 + 128, "acme/judge": 32} == {
        model: cost.usd for model, cost in costs.by_model.items()
    }
    assert (511, 511_000, "$511.00 total (3 models)") == (costs.total, costs.tokens, costs.summary)
    assert "$0.00 total (0 models)" == Costs().summary
    assert [
        "  By phase: recall $1.00, plan $2.00, execute $148.00, compaction $8.00, evaluate $32.00, decide $64.00, "
        "learn $256.00",
        "  By model: acme/small $321.00, acme/large $158.00, acme/judge $32.00",
    ] == costs.lines


@pytest.mark.parametrize("verbose", [True, False])
def test_only_who_wants_to_know_reads_what_it_was_spent_on(verbose: bool) -> None:
    progress = Progress(verbose=verbose)
    lines = [line for record in records_of(*whole()) for line in progress.format_record(record)]

    assert verbose == ("  By model: acme/small $65.00, acme/large $158.00, acme/judge $32.00" in lines)


def test_a_call_that_made_room_before_the_model_s_turn_is_no_turn() -> None:
    overflow = [events.CycleStarted(1, 30), asked(1, messages=1), events.HistoryCompacted(), asked(2)]

    assert {"execute": 2, "compaction": 1} == phases(build_report(records_of(*whole()[:1], *overflow)).costs)


def test_an_answer_that_was_cut_off_is_a_turn_although_room_is_made_after_it() -> None:
    cut = [events.CycleStarted(1, 30), asked(1, messages=7), asked(2, messages=1), events.HistoryCompacted()]

    assert {"execute": 1, "compaction": 2} == phases(build_report(records_of(*whole()[:1], *cut)).costs)


def test_room_that_was_made_without_asking_costs_nothing() -> None:
    assert {"execute": 4} == phases(build_report(records_of(*whole()[:1], *cycle(4), events.HistoryCompacted())).costs)


def part() -> list[Record]:
    """A sub-task with work and a judge of its own."""
    done = [
        asked(10),
        events.ExecutionFinished(ExecutionResult("part")),
        asked(5),
        events.RunCompleted(OVER, Cost()),
        asked(1),
    ]
    return records_of(
        events.TaskStarted(Task("a part", parent="run-1")), *cycle(20), events.HistoryCompacted(), *done, run="run-2"
    )


@pytest.mark.row("ITER-21", "SAFE-11")
@pytest.mark.parametrize(("place", "phase"), [(3, "plan"), (7, "execute"), (20, "evaluate")])
def test_sub_tasks_count_to_the_phase_in_which_they_ran(place: int, phase: str) -> None:
    own = records_of(*whole())
    before, after = build_report(own).costs, build_report([*own[:place], *part(), *own[place:]]).costs

    assert phases(before)[phase] + 36 == phases(after)[phase]
    assert before.total + 36 == after.total


def test_a_task_that_waited_for_a_person_works_again_when_it_goes_on() -> None:
    again = records_of(*cycle(1_000), segment="s-1.2.jsonl")

    assert 148 + 1_000 == phases(build_report([*records_of(*whole()), *again]).costs)["execute"]


def fork(at: int, until: int) -> list[Record]:
    """A fork of the task: what it was told until then, and one more call."""
    forked = events.RunForked("run-1", at, {})
    return records_of(forked, *whole()[: until + 1], asked(1_000), run="run-9", segment="s-9.jsonl")


@pytest.mark.parametrize("at", [0, 1])
def test_what_a_fork_took_from_another_task_is_paid_once(at: int) -> None:
    closing = next(
        n for n, event in enumerate(whole()) if isinstance(event, (events.PlanReady, events.DecisionMade)[at])
    )
    charges = collect_charges([*records_of(*whole()), *fork(at, closing)])

    assert 511 + 1_000 == sum_charges(charges).total


def test_many_tasks_are_charged_each_by_its_own_phase() -> None:
    one, other = records_of(*whole()), records_of(*whole(), run="run-5")
    mixed = [record for pair in zip(one, other, strict=True) for record in pair]

    assert {phase: 2 * usd for phase, usd in phases(build_report(one).costs).items()} == phases(
        sum_charges(collect_charges(mixed))
    )


def test_what_is_bulky_need_not_be_read_to_tell_the_phases() -> None:
    lean = [record for record in records_of(*whole()) if isinstance(record.event, CHARGE_EVENTS)]

    assert len(lean) < len(whole())
    assert {**phases(sum_charges(collect_charges(records_of(*whole()))))} == phases(sum_charges(collect_charges(lean)))


# Whatever the order.

CALL = st.sampled_from(["c", "d", ""])
USAGES = st.builds(Usage, input=st.integers(0, 9), output=st.integers(0, 9), cache_read=st.integers(0, 9))
RULINGS = st.builds(Decision, st.sampled_from(NextAction), st.text(max_size=5))
NUMBERS = st.integers(-1, 3)
REPLIES = st.builds(
    Response,
    st.lists(
        st.builds(Text, st.text(max_size=9)) | st.builds(ToolCall, CALL, CALL, st.just({"a": "b"})), max_size=3
    ).map(tuple),
    st.builds(StreamEnd, USAGES),
)
EVENTS = st.one_of(
    st.builds(events.TaskStarted, st.builds(Task, st.text(max_size=5), parent=st.sampled_from(["", "a", "b", "c"]))),
    st.builds(events.RecallFinished, st.just(Recall())),
    st.builds(events.PlanReady, st.just(Plan())),
    st.builds(events.MessageAdded, st.just(Message.user("x"))),
    st.builds(events.CycleStarted, NUMBERS, st.just(30)),
    st.builds(events.ModelResponse, CALL, REPLIES, st.floats(0, 9), messages=st.integers(0, 3)),
    st.builds(events.ToolCallStarted, st.builds(ToolCall, CALL, CALL, st.just({})), st.text(max_size=5)),
    st.builds(events.ToolCallFinished, st.builds(ToolResult, st.text(max_size=5), call=CALL, failed=st.booleans())),
    st.builds(events.ToolResultsReady, NUMBERS),
    st.builds(events.QuestionAsked, CALL, st.text(max_size=5)),
    st.builds(events.QuestionAnswered, CALL, st.none() | st.text(max_size=5)),
    st.just(events.HistoryCompacted()),
    st.builds(events.InnerLoopEnded, st.text(max_size=5)),
    st.builds(events.ExecutionFinished, st.builds(ExecutionResult, st.text(max_size=5))),
    st.builds(events.EvaluationFinished, st.just(Evaluation())),
    st.builds(events.IterationFinished, NUMBERS, st.none(), st.just(Cost())),
    st.builds(events.DecisionMade, NUMBERS, RULINGS, st.just(Cost())),
    st.builds(events.RunCompleted, RULINGS, st.just(Cost()), best=NUMBERS),
    st.builds(events.RunFailed, st.text(max_size=5)),
    st.just(events.RunResumed()),
    st.builds(events.RunForked, CALL, NUMBERS, st.just({})),
)
RECORDS = st.lists(st.builds(Record, st.just("id"), st.just("at"), st.sampled_from("abc"), EVENTS), max_size=40)


def paid(records: Sequence[Record], runs: set[str]) -> float:
    return fsum(one.event.usd for one in records if isinstance(one.event, events.ModelResponse) and one.run in runs)


@given(RECORDS)
def test_whatever_the_order_all_that_was_paid_is_told(records: list[Record]) -> None:
    begun = [Record("id", "at", "a", events.TaskStarted(Task("t"))), *records]
    report, tree = build_report(begun), build_cycle_tree(begun)
    costs, alone = report.costs, {"a", *report.subtasks}
    progress = Progress(verbose=True)
    answer = [line for record in begun for line in progress.format_record(record)]
    counted = [one for n, one in enumerate(begun) if one.run in known(begun[: n + 1], alone)]

    assert paid(counted, alone) == pytest.approx(costs.total)
    assert costs.total == pytest.approx(fsum(cost.usd for cost in costs.by_phase.values()))
    assert costs.total == pytest.approx(report.build_result()["cost_usd"] + report.after_result.usd, abs=1e-5)
    assert costs.total == pytest.approx(tree.costs.total)
    assert costs.tokens == report.usage.total + report.after_result.usage.total
    assert all("\n" not in line for line in format_tree(tree))
    assert bool(answer) or not progress.report.completion


def known(records: Sequence[Record], runs: set[str]) -> set[str]:
    """Of these runs those that have begun as parts of the task by now."""
    began: set[str] = set()
    for one in records:
        if isinstance(one.event, events.TaskStarted) and (one.run == "a" or one.event.task.parent in began):
            began.add(one.run)
    return began & runs


@given(RECORDS)
def test_whatever_the_order_what_no_fork_copied_is_charged_once(records: list[Record]) -> None:
    plain = [one for one in records if not isinstance(one.event, events.RunForked)]

    assert paid(plain, set("abc")) == pytest.approx(sum_charges(collect_charges(plain)).total)
    assert paid(records, set("abc")) + 1e-9 >= sum_charges(collect_charges(records)).total


@given(st.lists(st.builds(ModelCost, st.floats(0, 9), USAGES, st.integers(0, 3))))
def test_adding_up_forgets_nothing(costs: list[ModelCost]) -> None:
    whole = sum(costs, ModelCost())

    assert sum(cost.usage.total for cost in costs) == whole.usage.total
    assert sum(cost.calls for cost in costs) == whole.calls
