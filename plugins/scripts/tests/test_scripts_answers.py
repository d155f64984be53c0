"""What a script returns is an answer of its hook; a call of a script is quick once it is loaded."""

import asyncio
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import pytest

from openkoi_hookspecs import Allow, Ask, Deny, Evaluation, Finding, Learning, Plan, Section, Severity, Task, ToolCall
from openkoi_scripts.facts import build_answer, encode_facts
from openkoi_scripts.process import ScriptError, ScriptProcesses

TEXT = """
def section_of(task):
    return [section("rules", "Be brief: " + task.text, layer = "project"), "More."]

def one(task):
    return section("one", task.category or "none", untrusted = True)

def learn(task):
    return [learning("l1", "Koi like noon", kind = "fact", keys = ["koi"])]

def stricter(evaluation):
    return {"findings": evaluation.findings + [finding("Wrong", severity = "blocker", detail = "d", where = "a.py:1")]}

def allowing(call):
    return allow("fine") if call.arguments.get("path") == "a.txt" else ask("why?")

def denying(call):
    return deny("never")

def same(plan):
    return plan

def steps(plan):
    return {"steps": plan.steps + ["Sum up."]}

def wrong(plan):
    return {"stepps": []}

def number(plan):
    return 3
"""
TASK, PLAN = Task("Write a letter"), Plan(steps=("Write.",), sections=(Section("s", "text"),))
CALL = ToolCall("1", "write_file", {"path": "a.txt"})
BEFORE = Evaluation(findings=(Finding("Old"),))
NEW = Finding("Wrong", Severity.BLOCKER, detail="d", where="a.py:1")
CASES: Sequence[tuple[str, str, str, object, object]] = (
    ("section_of", "before_plan", "task", TASK, "sections"),
    ("one", "before_plan", "task", TASK, [Section("one", "none", untrusted=True)]),
    ("learn", "before_learn", "task", TASK, [Learning("l1", "fact", "Koi like noon", keys=("koi",))]),
    ("stricter", "after_evaluate", "evaluation", BEFORE, Evaluation(findings=(Finding("Old"), NEW))),
    ("allowing", "before_tool", "call", CALL, Allow("fine")),
    ("allowing", "before_tool", "call", ToolCall("1", "write_file", {}), Ask("why?")),
    ("denying", "before_tool", "call", CALL, Deny("never")),
    ("same", "after_plan", "plan", PLAN, PLAN),
    ("steps", "after_plan", "plan", PLAN, Plan(steps=("Write.", "Sum up."), sections=PLAN.sections)),
    ("wrong", "after_plan", "plan", PLAN, "a Plan has no field 'stepps'"),
    ("number", "after_plan", "plan", PLAN, "after_plan must return an object with the fields of a Plan"),
)


async def host(name: str, arguments: Sequence[Any]) -> object:
    """Answer no host function."""
    return None


async def answer_all() -> tuple[list[object], list[float]]:
    """Call all functions; return the answers or errors, and the seconds of many calls of one of them."""
    script = ScriptProcesses("answers.star", TEXT, 5.0, ["log"])
    await script.describe(load=True)
    answers: list[object] = []
    for name, hook, fact, value, _ in CASES:
        try:
            answers.append(build_answer(await script.call(name, encode_facts({fact: value}), host), hook, value, "own"))
        except ScriptError as error:
            answers.append(str(error))
    times = []
    for _ in range(200):
        began = perf_counter()
        build_answer(await script.call("section_of", encode_facts({"task": TASK}), host), "before_plan", TASK, "own")
        times.append(perf_counter() - began)
    await script.close()
    return answers, times


@pytest.fixture(name="ran", scope="module")
def run_all() -> tuple[list[object], list[float]]:
    return asyncio.run(answer_all())


@pytest.mark.parametrize("place", range(len(CASES)), ids=[f"{one[0]}-{one[1]}" for one in CASES])
def test_an_answer_is_what_the_hook_returns(place: int, ran: tuple[list[object], list[float]]) -> None:
    expected, answer = CASES[place][-1], ran[0][place]

    if expected == "sections":
        assert isinstance(answer, list)
        assert [("rules", "Be brief: Write a letter"), ("own", "More.")] == [(one.name, one.text) for one in answer]
    elif isinstance(expected, str):
        assert expected in str(answer)
    else:
        assert expected == answer


def test_a_warm_call_takes_two_milliseconds_at_most(ran: tuple[list[object], list[float]]) -> None:
    """The quickest of many, because other tests may keep the machine busy."""
    assert min(ran[1]) <= 0.002
