"""Every prompt as it is sent, in a file of ``tests/prompts`` for each role and model family.

A change of a prompt changes its file: review the diff. To write the files again, run this file with UPDATE_PROMPTS=1.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from cli_process import Shell, shell
from prompt_pages import Body, check, format_quoted, of_model, page, request, system_of, tool
from test_small_requests import VENDORS

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import AnthropicServer, Say

EXECUTOR, PLANNER, JUDGE, SMALL = "claude-sonnet-4-5", "planner", "judge", "small"
FAMILIES = {
    "claude": "anthropic",
    "codex": "codex",
    "gpt": "openai responses",
    "gemini": "google",
    "small": "small",
    "gpt with whole files": "whole files",
}
CONFIG = f"""\
[hooks.house-style]
enabled = false

[evaluators.word-count]
enabled = false

[models]
planner = "anthropic/{PLANNER}"
evaluator = "anthropic/{JUDGE}"
small = "anthropic/{SMALL}"
"""
SHOP = "def price(count: int) -> int:\n    return count * 2\n"
TEST = "from shop import price\n\n\ndef test_three_cost_twelve() -> None:\n    assert price(3) == 12\n"
TRACEBACK = "Traceback (most recent call last):\n  AssertionError: 6 != 12\n"
FOUND = {
    "severity": "important",
    "dimension": "correctness",
    "title": "The price is wrong",
    "description": "Three cost nine, not twelve.",
    "location": "shop.py:2",
    "fix": "Multiply by 4.",
}
SCORES = ("correctness", "safety", "style", "completeness")
NOTES = "Files: shop.py holds price().\nOpen: say what it does."


def verdict(score: float, *findings: Mapping[str, str]) -> str:
    """Return what a judge answers."""
    scores = {**dict.fromkeys(SCORES, score), "other_task": 0.0}
    return json.dumps({"scores": scores, "findings": findings, "suggestion": "Run the test."})


def use(number: int, name: str, **arguments: str) -> Say:
    """Return a turn that calls a tool."""
    return Say([ToolCall(f"toolu_{number}", name, arguments)])


def project(folder: Path) -> Shell:
    """Return a small project with a failing test, and a home in which each role has a model."""
    openkoi = shell(folder)
    (openkoi.folder / "shop.py").write_text(SHOP)
    (openkoi.folder / "test_shop.py").write_text(TEST)
    (openkoi.folder / ".git").mkdir()
    (openkoi.folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(CONFIG)
    return openkoi


def requests_of_task(
    openkoi: Shell, task: str, *answers: Say | str, line: Sequence[str] = (), stdin: str | None = None
) -> list[Body]:
    """Return the requests that the command line makes for a task, to whichever model."""
    with AnthropicServer(*answers, models=[EXECUTOR, PLANNER, JUDGE, SMALL], count=True) as server:
        output = openkoi.with_environment(ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="sk-ant-anything-at-all")
        result = output("--executor", f"anthropic/{EXECUTOR}", *line, task, stdin=stdin, seconds=120)
        assert result.returncode in (0, 3), result.stderr
        return [json.loads(request.body) for request in server.requests if server.asks(request)]


@pytest.fixture(scope="module")
def improved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Body]]:
    """A run that plans, works, is judged, works again and is learned from."""
    openkoi = project(tmp_path_factory.mktemp("improved"))
    bodies = requests_of_task(
        openkoi,
        "Fix the failing test of price() in shop.py",
        "1. Read shop.py and test_shop.py.\n2. Correct price().\n3. Run the test.",
        use(1, "read_file", path="shop.py"),
        use(2, "edit_file", path="shop.py", search="count * 2", replace="count * 3"),
        "Corrected price().",
        verdict(0.5, FOUND),
        use(3, "edit_file", path="shop.py", search="count * 3", replace="count * 4"),
        "price() now multiplies by 4; test_shop.py passes.",
        verdict(0.95),
        "NONE",
        stdin=TRACEBACK,
    )
    return openkoi.folder, bodies


@pytest.mark.parametrize("family", FAMILIES)
def test_the_system_prompt_of_each_family(family: str, tmp_path: Path) -> None:
    vendor = VENDORS[FAMILIES[family]]
    openkoi = project(tmp_path)
    (openkoi.home / "config.toml").write_text(f"[hooks.house-style]\nenabled = false\n{vendor.settings}")
    with vendor.fake("One file.", models=[vendor.model.partition("/")[2]]) as server:
        result = openkoi.with_environment(**vendor.variables_for(server))(
            "-m", vendor.model, "-i", "0", "What is in here?"
        )
        first = next(json.loads(request.body) for request in server.requests if server.asks(request))

    assert 0 == result.returncode, result.stderr
    check(
        f"executor.{family.replace(' ', '-')}",
        page(f"Executor: {vendor.model}", format_quoted("System", system_of(first))),
    )


def test_the_system_prompt_of_a_model_of_no_known_family(tmp_path: Path) -> None:
    bodies = requests_of_task(
        project(tmp_path), "What is in here?", "A shop.", line=("-m", f"anthropic/{SMALL}", "-i", "0")
    )

    check("executor.common", page("Executor: any other model", format_quoted("System", system_of(bodies[0]))))


def test_the_first_message_and_the_tools(improved: tuple[Path, list[Body]]) -> None:
    folder, bodies = improved
    first = of_model(bodies, EXECUTOR)[0]

    check("executor.opening", request("Executor: the first message of a task", {**first, "system": []}, folder))
    check("tools", page("Tools that are sent with every request", *map(tool, first["tools"])))


def test_the_tools_that_are_found(tmp_path: Path) -> None:
    bodies = requests_of_task(
        project(tmp_path), "What is in here?", use(1, "find_tool", query="patch"), "A shop.", line=("-i", "0")
    )
    (result,) = of_model(bodies, EXECUTOR)[1]["messages"][-1]["content"]
    text = result["content"] if isinstance(result["content"], str) else result["content"][0]["text"]

    found = sorted(map(json.loads, text.splitlines()), key=lambda one: str(one["name"]))
    check("tools.found", page("Tools that find_tool shows", *map(tool, found)))


def test_the_planner(improved: tuple[Path, list[Body]]) -> None:
    folder, bodies = improved
    (asked,) = of_model(bodies, PLANNER)

    check("planner", request("Planner", asked, folder))


def test_the_judge(improved: tuple[Path, list[Body]]) -> None:
    folder, bodies = improved

    check("judge", request("Judge: all of the work", of_model(bodies, JUDGE)[0], folder))


def test_the_feedback_after_a_judgement(improved: tuple[Path, list[Body]]) -> None:
    folder, bodies = improved
    asked = next(body for body in of_model(bodies, EXECUTOR) if "Fix 2 issues:" in json.dumps(body["messages"][-1]))

    check("executor.feedback", request("Executor: after a judgement", asked, folder, since=len(asked["messages"]) - 1))


def test_the_learner(improved: tuple[Path, list[Body]]) -> None:
    folder, bodies = improved
    (asked,) = of_model(bodies, SMALL)

    check("learner", request("Learner", asked, folder))


def test_the_classifier_of_requests(tmp_path: Path) -> None:
    openkoi = project(tmp_path)
    bodies = requests_of_task(openkoi, "The price of three, please", "One.", "Six.", "no")

    check(
        "classifier",
        request("Classifier: does a request ask for a change?", of_model(bodies, JUDGE)[0], openkoi.folder),
    )


def test_the_notes_that_replace_old_turns(tmp_path: Path) -> None:
    openkoi = project(tmp_path)
    (openkoi.home / "config.toml").write_text(
        f'{CONFIG}\n[models.known."anthropic/{EXECUTOR}"]\ncontext = 6_000\noutput = 1_000\n'
    )
    for number in range(4):
        (openkoi.folder / f"{number}.txt").write_text(f"Line {number}.\n" * 500)
    reads = [use(number, "read_file", path=f"{number}.txt") for number in range(4)]
    bodies = requests_of_task(openkoi, "What is in the text files?", *reads, NOTES, "Lines.", line=("-i", "0"))
    asked = next(body for body in bodies if "about to be removed" in json.dumps(body["system"]))

    check("compaction", request("Compaction: fact-extracting", {**asked, "messages": []}, openkoi.folder))
