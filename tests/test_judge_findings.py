"""Test that a judge's valid scores are kept, after one request, however it reports findings or none."""

import json
from pathlib import Path

import pytest
from verdict_runs import DIMENSIONS, DONE, EDIT, TASK, folder_with_test, result, write_script_outside

from openkoi_testing.servers import OpenAIServer

SCORES = {**dict.fromkeys(DIMENSIONS, 0.95), "other_task": 0.0}
NONE: list[object] = [
    *("none", "None.", "NONE", "n/a", "N/A", "nothing", "null", "-", "", " ", "[]", "{}", "no issues", "LGTM"),
    *("No issues found.", "There were no significant findings", "No critical or other issues", "None found."),
    *(None, {}, [], False, 0, ["none"], ["No problems were found."], [None], [""], [{}]),
    *([{"title": "None"}], ["-", {}], "(none)", "0 issues", "No problems detected in this change.", {"items": []}),
    *("I found no issues.", "\u2713 none", "N/A - nothing found", "There's nothing to report.", "`none`"),
    *(
        "None - looks good",
        "0",
        "zero",
        "none; all tests pass",
        "No issues found. The change is correct.",
        "\u2014",
        "...",
    ),
    *("**None**", "<none>", "no findings: everything checks out", "false", "Nothing. Good job", "LGTM!"),
    *(["0"], {"count": 0, "items": "none"}, {"severity": "none", "title": ""}),
    *("No findings were identified during the review.", "The work has no issues.", "No findings at this time."),
]
SOME: list[object] = [
    *("The name is too short.", "None of the edge cases is handled", "No tests were added", "no handling of issues"),
    *(["The name is too short."], {"title": "The name is too short", "severity": "important"}),
    *([{"title": "No", "description": "The name is too short"}], ["none", "The name is too short"]),
    *("None, but the name is too short", "No issues found, however a.py:3 lacks a test", "None of the tests run"),
    *("ok() is never called", "zero division in mean()", "Null is returned", "No errors are shown to the user"),
    *("None is not handled in parse()", "-5 is accepted as an age", "No validation - empty names pass"),
    *("important: the name is too short", "[important] the name is too short", "high-level comments are missing"),
]
BLOCKERS: list[object] = [
    *("blocker: it burns", "[BLOCKER] it burns", ["**blocker** it burns"]),
    {"severity": "critical", "title": "It burns"},
]
NONSENSE: list[object] = [3, True, {"blocker": ["it burns"]}, {"count": 2}]


def judge_findings(folder: Path, findings: object) -> tuple[dict[str, object], int]:
    """Let a judge give good scores with these findings; return the result and how often it was asked."""
    openkoi = folder_with_test(folder)
    reply = json.dumps({"scores": SCORES, "findings": findings, "suggestion": ""})
    executor = write_script_outside(openkoi, EDIT + DONE, "executor.yaml")
    with OpenAIServer(reply) as server:
        there = openkoi.with_environment(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        limits = ("--evaluator", "openai/gpt-fake", "-i", "1", "--format", "json")
        process = there(TASK, "--executor", executor, *limits)
    return result(process), len(server.asked)


def cases(*findings: object) -> list[object]:
    """Return the cases: the first always, the others in a campaign."""
    first, *others = findings
    return [first, *(pytest.param(one, marks=pytest.mark.campaign) for one in others)]


@pytest.mark.parametrize("findings", cases(*NONE), ids=json.dumps)
def test_none_in_any_words_keeps_the_scores(findings: object, tmp_path: Path) -> None:
    output, asked = judge_findings(tmp_path, findings)

    assert (0.95, True, []) == (output["score"], output["accepted"], output["findings"])
    assert 1 == asked


@pytest.mark.parametrize("findings", cases(*SOME), ids=json.dumps)
def test_a_finding_in_plain_words_is_one_and_keeps_the_scores(findings: object, tmp_path: Path) -> None:
    output, asked = judge_findings(tmp_path, findings)

    assert (0.95, True) == (output["score"], output["accepted"])
    assert ["important"] == severities(output)
    assert 1 == asked


@pytest.mark.parametrize("findings", cases(*BLOCKERS), ids=json.dumps)
def test_a_blocker_in_plain_words_blocks(findings: object, tmp_path: Path) -> None:
    output, _ = judge_findings(tmp_path, findings)

    assert False is output["accepted"]
    assert ["blocker"] == severities(output)


@pytest.mark.parametrize("findings", cases(*NONSENSE), ids=json.dumps)
def test_what_could_hide_a_finding_is_asked_for_again_and_never_a_score(findings: object, tmp_path: Path) -> None:
    output, asked = judge_findings(tmp_path, findings)

    assert (None, False) == (output["score"], output["accepted"])
    assert 2 == asked


def severities(output: dict[str, object]) -> list[str]:
    found = output["findings"]
    assert isinstance(found, list)
    return [finding["severity"] for finding in found]
