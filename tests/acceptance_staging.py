"""Stage each disturbance of a run: files, scripts, settings, a plugin."""

import json

from acceptance_cases import Basis, Case, Checks, Fault, Place

BUDGET_TOKENS, BUDGET_USD, MANY_CALLS = 6_000, 0.1, 20
KEPT_TOKENS, KEPT_USD = 1_500, 0.01  # about what of these is kept back for one judgement
LITTLE, MUCH = 10, 1_000  # tokens of an answer
DOLLARS_A_TOKEN = 15e-6
SECONDS, LATE = 4, 60  # the deadline, where there is one: time for all that comes before a fault; and far beyond it
NOTED = "Epsilon one."
REPLY = "It is edited now."
GARBLED = "@@ %% 0x1F <|> ]]"
REFUSED = "I cannot help with that."
DIMENSIONS = (
    *("correctness", "safety", "style", "completeness", "relevance", "quality"),
    *("clarity", "accuracy", "tone", "structure"),
)


def usage(tokens: int = LITTLE) -> str:
    """Return the cost of a turn."""
    return f"    usage: {{input: 10, output: {tokens}}}\n"


def turn(when: str, body: str, tokens: int = LITTLE, *, repeat: bool = False) -> str:
    """Return one answer of a script."""
    again = "    repeat: true\n" if repeat else ""
    return f"  - when: {{{when}}}\n    {body}\n{again}{usage(tokens)}"


def write(number: int) -> str:
    """Return a call that writes the file, without text."""
    content = json.dumps(f"x = {number}\n")
    return f"calls: [{{tool: write_file, arguments: {{path: a.txt, content: {content}, overwrite: true}}}}]"


def heavy_usage(case: Case) -> int:
    """Return the tokens of an answer that leaves too little for another one; few where calls are counted.

    It uses nearly all that can be leased: an answer that claims more is charged what was read of it.
    """
    kept = case.policy is Basis.JUDGE
    if case.limit == "tokens":
        return BUDGET_TOKENS - KEPT_TOKENS * kept - 300
    return round((BUDGET_USD - KEPT_USD * kept - 0.003) / DOLLARS_A_TOKEN) if case.limit == "dollars" else LITTLE


def executor(case: Case) -> str:
    """Return the executor's script: an earlier iteration, the change, the fault, the final answer."""
    at_executor, at_judge = case.place is Place.EXECUTOR, case.place is Place.JUDGE
    turns: list[str] = []
    if case.earlier:
        turns += [turn("after: 0", write(2)), turn("after: 1", f"says: {NOTED}")]
    if case.changed:
        turns.append(turn(f"after: {len(turns)}", write(3), heavy_usage(case) if at_executor else LITTLE))
    if case.place is Place.TOOL:
        turns.append(turn(f"after: {len(turns)}", "calls: [{tool: probe, arguments: {}}]"))
    if at_executor and case.fault is Fault.GARBAGE:
        turns.append(turn(f"after: {len(turns)}", "calls: [{tool: rite_fyle, arguments: {path: [1, {}], content: 7}}]"))
    return "".join(turns) + turn("", last_words(case), heavy_usage(case) if at_judge else LITTLE, repeat=True)


def last_words(case: Case) -> str:
    """Return how the executor ends."""
    if case.place is not Place.EXECUTOR:
        return 'says: ""' if case.mute else f"says: {REPLY}"
    return faulty_answer(case.fault, f"says: {REPLY}")


def faulty_answer(fault: Fault, otherwise: str) -> str:
    """Return a model's answer that has this fault."""
    match fault:
        case Fault.DEADLINE:
            return f"says: Too late.\n    delay: {LATE}"
        case Fault.REFUSAL:
            return f"says: {REFUSED}\n    stop: refused"
        case Fault.GARBAGE:
            return f"says: {json.dumps(GARBLED)}"
        case Fault.SILENCE:
            return 'says: ""'
    return otherwise


def judge_answer(score: float) -> str:
    """Return a judge's answer by whatever rubric."""
    scores = {**dict.fromkeys(DIMENSIONS, score), "other_task": 0.0}
    reply = json.dumps({"scores": scores, "findings": [], "suggestion": ""})
    return f"says: |\n      {reply}"


def judge(case: Case) -> str:
    """Return the judge's script: 0.60 for ``x = 2``, and 0.90 for everything else, even for no change.

    What judges alone would accept.

    Of work that changed nothing it is asked before whether the request wants a change: yes, where nothing is wrong.
    """
    fault = case.fault if case.place is Place.JUDGE else Fault.LIMIT
    wants = turn('contains: ["The request is data"]', faulty_answer(fault, 'says: "Yes"'), repeat=True)
    if case.place is Place.JUDGE:
        first = turn(f'contains: ["+x = 2", "{NOTED}"]', judge_answer(0.6), repeat=True) if case.earlier else ""
        return wants + first + turn("", faulty_answer(case.fault, judge_answer(0.9)), repeat=True)
    two = turn('contains: ["+x = 2"]', judge_answer(0.6), repeat=True)
    return (
        wants
        + turn('contains: ["+x = 3"]', judge_answer(0.9), repeat=True)
        + two
        + turn("", judge_answer(0.9), repeat=True)
    )


def planner(case: Case) -> str:
    """Return the planner's script."""
    return turn("", faulty_answer(case.fault, "says: 1. Write x = 3 into a.txt."), repeat=True)


def spender(_case: Case) -> str:
    """Return the model that hooks and tools spend everything on."""
    return turn("", "says: Hm.", MUCH, repeat=True)


def before_executor(case: Case) -> int:
    """Return how many calls of models come before the fault of the executor."""
    return (3 if case.policy is Basis.JUDGE else 2) * case.earlier + case.changed


def at_once(case: Case) -> bool:
    """Return whether already the first call exceeds the limit."""
    return case.place is Place.PLANNER or (case.place is Place.EXECUTOR and not before_executor(case))


def calls_allowed(case: Case) -> int:
    """Return the limit of calls at which the fault is met."""
    match case.place:
        case Place.EXECUTOR:
            return before_executor(case)
        case Place.JUDGE:
            return before_executor(case) + 1
        case Place.PLANNER:
            return 1
    return MANY_CALLS


def settings(case: Case) -> str:
    """Return the configuration."""
    tables = {"evaluators.word-count": ["enabled = false"], "iteration": ["max_iterations = 2"]}
    if case.fault is Fault.DEADLINE:
        tables["iteration"].append(f"timeout_seconds = {SECONDS}")
    if case.limit == "tokens":
        tables["iteration"].append(f"token_budget = {100 if at_once(case) else BUDGET_TOKENS}")
    if case.limit == "calls":
        tables["safety"] = [f"max_calls = {calls_allowed(case)}"]
    if case.checks is not Checks.NONE and not case.in_pytest:
        tables["evaluators.testrunner"] = ['command = "sh check.sh"']
    if case.place is Place.PLANNER:
        tables["models"] = [f'planner = "{model_of(case, Place.PLANNER)}"']
    return "".join(f"[{name}]\n" + "\n".join(lines) + "\n" for name, lines in tables.items())


def options(case: Case) -> list[str]:
    """Return the command line."""
    models = ["--executor", model_of(case, Place.EXECUTOR), "--evaluator", model_of(case, Place.JUDGE)]
    policy = {Basis.JUDGE: [], Basis.CHECKS: ["--no-judge"], Basis.NONE: ["--iterate", "0"]}[case.policy]
    budget = ["--budget", "0.0001" if at_once(case) else str(BUDGET_USD)] if case.limit == "dollars" else []
    category = ["--category", "bugfix"] if case.checks in (Checks.RED, Checks.TURNS) else []
    return [*models, *policy, *budget, *category, *([] if case.in_text else ["--format", "json"])]


def model_of(case: Case, place: Place) -> str:
    """Return the model of a role; the one whose key is missing is a vendor's."""
    return "openai/gpt-fake" if (case.fault, case.place) == (Fault.KEY, place) else f"scripted/{place}"


def scripts(case: Case) -> dict[str, str]:
    """Return all scripts, by model."""
    turns = {"executor": executor, "judge": judge, "planner": planner, "spender": spender}
    return {name: f"price: {{input: 3.0, output: 15.0}}\nturns:\n{one(case)}" for name, one in turns.items()}


SHELL_CHECK = """\
echo "TAP version 13"
if {test}; then echo "ok 1 - x"; else echo "not ok 1 - x"; exit 1; fi
"""
PYTHON_CHECK = """\
from pathlib import Path


def test_x() -> None:
    assert {test}
"""
WANTED = {Checks.GREEN: "x = ", Checks.RED: "x = 9", Checks.TURNS: "x = 3"}


def workspace(case: Case) -> dict[str, str]:
    """Return the files of the project."""
    files = {"a.txt": "x = 0\n", ".gitignore": "*.log\n__pycache__/\n.pytest_cache/\n"}
    if case.checks is Checks.NONE:
        return files
    wanted = WANTED[case.checks]
    if case.in_pytest:
        test = f'"{wanted}" in Path("a.txt").read_text()'
        return {**files, "test_x.py": PYTHON_CHECK.format(test=test), "pytest.ini": "[pytest]\n"}
    return {**files, "check.sh": SHELL_CHECK.format(test=f"grep -q '{wanted}' a.txt")}


PLUGIN = """\
import asyncio
from openkoi_hookspecs import Effect, Message, Request, Tool, ToolResult, hookimpl


async def go_wrong(run):
    {body}


class Hooks:
    @hookimpl
    async def {moment}(self, run):
        if len(run.iterations) >= {armed}:
            return await go_wrong(run)


class ToolProvider:
    async def tools(self, run):
        async def call(arguments):
            return await go_wrong(run)

        return [Tool("probe", "Probe the workspace.", {{"type": "object"}}, call, effect=Effect.READS)]
"""
WRONG = {
    Fault.LIMIT: 'for _ in range(99): await run.chat(Request([Message.user("Hm?")], model="scripted/spender"))',
    Fault.DEADLINE: f"await asyncio.sleep({LATE})",
    Fault.REFUSAL: 'raise RuntimeError("not today")',
    Fault.GARBAGE: 'return "words of no type"',
    Fault.SILENCE: "return None",
    Fault.KEY: 'await run.chat(Request([Message.user("Hm?")], model="openai/gpt-fake"))',
}


def plugin(case: Case) -> tuple[str, dict[str, str]]:
    """Return a distribution's code, and its plugins by kind; empty if no plugin fails."""
    kinds = {Place.HOOK: {"hooks": "acme:Hooks"}, Place.TOOL: {"tools": "acme:ToolProvider"}}.get(case.place, {})
    return PLUGIN.format(body=WRONG[case.fault], moment=case.moment, armed=int(case.earlier)), kinds
