"""Test how a judge's answers are parsed: the right scores or none."""

import json
from typing import Any

import pytest
from data_files import fault_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.skillfile.evaluator import Dimension, Rubric
from openkoi_hookspecs import Severity
from openkoi_judge.scores import UnreadableError
from openkoi_judge.verdict import parse_verdict

RUBRIC = Rubric("house", (Dimension("walls", 0.5), Dimension("roof", 0.3), Dimension("error responses", 0.2)))
GOOD = '{"scores": {"walls": 0.7, "roof": 0.9, "error responses": 0.4}, "findings": []}'
OTHER = GOOD.replace("0.7", "0.2")


def rubric(names: list[str]) -> Rubric:
    return Rubric("faults", tuple(Dimension(name, 1 / len(names)) for name in names))


def read(reply: str) -> list[float] | None:
    """The scores in the rubric's order; None without a verdict."""
    try:
        return [score.value for score in parse_verdict(reply, RUBRIC).scores]
    except UnreadableError:
        return None


def scores(walls: str) -> str:
    return f'{{"scores": {{"walls": {walls}, "roof": 0.9, "error responses": 0.4}}}}'


@pytest.mark.parametrize("case", fault_cases("eval"), ids=lambda case: case["id"])
def test_the_catalogue_of_faults_gives_right_scores_or_none(case: dict[str, Any]) -> None:
    given, expected = case["given"], case["expect"]
    try:
        verdict = parse_verdict(given["text"], rubric(given["rubric"]))
    except UnreadableError:
        assert "invalid" in expected["outcome"]
        return

    assert expected["outcome"].startswith("ok")
    assert expected["scores"] == {score.dimension: score.value for score in verdict.scores}
    assert verdict.partial == ("truncated" in expected.get("flags", ()))
    assert bool(verdict.note) == ("overall_from" in expected)
    assert expected.get("findings", len(verdict.findings)) == len(verdict.findings)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(GOOD, id="bare"),
        pytest.param(f"Here you are.\n```json\n{GOOD}\n```\nAnything else?", id="fenced, with politeness"),
        pytest.param(f"{GOOD}\n\n{GOOD}", id="said twice, the same"),
        pytest.param(f'As in f"{{name}}" and {{x}}: {GOOD}', id="braces of another kind"),
        pytest.param(GOOD.replace('"', "'"), id="quoted as Python does"),
        pytest.param('{scores: {walls: 0.7, roof: 0.9, "error responses": 0.4}}', id="bare keys"),
        pytest.param('{"verdict": ' + GOOD + "}", id="in a wrapper"),
        pytest.param('{"walls": 0.7, "roof": 0.9, "error_responses": 0.4}', id="without the word scores"),
        pytest.param(GOOD.replace("walls", "Walls").replace("error responses", "error_response"), id="other spelling"),
        pytest.param(f"<thinking>{OTHER} or so</thinking>{GOOD}", id="after a draft in thought"),
        pytest.param(scores('"70 %"'), id="percent"),
        pytest.param(scores('{"score": 0.7, "reason": "a crack"}'), id="with a reason each"),
        pytest.param('{"answer": {"walls": <0.0 to 1.0>}} ' + GOOD, id="beside the empty shape"),
        pytest.param(
            '{"dimensions": [{"name": "walls", "score": 0.7}, {"dimension": "roof", "score": 0.9},'
            ' {"dimension": "Error-Responses", "score": 0.4}]}',
            id="as a list",
        ),
    ],
)
def test_a_verdict_is_read_however_it_is_dressed(reply: str) -> None:
    assert [0.7, 0.9, 0.4] == read(reply)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("", id="nothing"),
        pytest.param("I would rather not judge that.", id="refusal"),
        pytest.param("0.9", id="a bare number"),
        pytest.param('{"score": 0.9, "passed": true}', id="only a sum"),
        pytest.param(f"{GOOD} No, wait: {OTHER}", id="a change of mind"),
        pytest.param(f"<think>{GOOD}", id="thought that never ends"),
        pytest.param(f"{OTHER}</think>{GOOD}", id="thought that never began"),
        pytest.param('{"scores": {"walls": 0.7, "roof": 0.9}}', id="a dimension is missing"),
        pytest.param(scores("null"), id="nothing for a score"),
        pytest.param(scores("NaN"), id="not a number"),
        pytest.param(scores("-0.1"), id="below zero"),
        pytest.param(scores("7"), id="no scale"),
        pytest.param(scores('"7"'), id="no scale, as text"),
        pytest.param(scores('"12/10"'), id="more than all"),
        pytest.param(scores('"3/0"'), id="a scale of nothing"),
        pytest.param(scores('"good"'), id="a word"),
        pytest.param(scores("[0.7]"), id="a list"),
        pytest.param(scores("1%"), id="a bare percentage"),
        pytest.param(scores("0,7"), id="a decimal comma"),
        pytest.param(scores("0.7-0.9"), id="a range"),
        pytest.param(scores("about 0.7"), id="a guess"),
        pytest.param(scores("~0.7"), id="a guess, in a sign"),
        pytest.param(scores("<0.0 to 1.0>"), id="the empty shape"),
        pytest.param(scores('0.7, "walls": 0.1'), id="twice, and different"),
        pytest.param(scores('0.7, "walls": 0.1') + ",}", id="twice, and damaged"),
        pytest.param(scores('0.7, "Walls": 0.1'), id="twice, spelled differently"),
        pytest.param('{"scores": {"walls": 0.7, "roof": 0.9, "error responses": 0.4', id="cut off in a number"),
        pytest.param('{"scores: ' + GOOD + "}", id="a verdict within something damaged"),
        pytest.param(GOOD.replace("[]", '{"blocker": ["it burns"]}'), id="findings that cannot be told apart"),
        pytest.param(
            GOOD.replace("findings", "fnidings").replace("[]", '[{"severity": "blocker"}]'), id="a lost blocker"
        ),
        pytest.param('{"a":' * 5000 + "}" * 5000, id="a bomb"),
    ],
)
@pytest.mark.row("C82")
def test_what_is_no_single_complete_verdict_is_never_a_number(reply: str) -> None:
    assert read(reply) is None


def test_what_was_wrong_is_said_so_that_the_judge_can_mend_it() -> None:
    with pytest.raises(UnreadableError, match=r"^The score is missing for roof, error responses\.$"):
        parse_verdict('{"scores": {"walls": 0.7}}', RUBRIC)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_score_that_is_not_a_number_is_named_as_that(value: str) -> None:
    with pytest.raises(UnreadableError, match=r"^The score for walls is '(nan|-?inf)', which is not a number from"):
        parse_verdict(scores(value), RUBRIC)


@pytest.mark.row("EVAL-06")
def test_findings_are_read_leniently_and_keep_everything_that_was_said() -> None:
    found = [
        {
            "severity": "Critical",
            "dimension": "ROOF",
            "title": "It\nleaks",
            "location": "./src/roof.py:12:4",
            "fix": "Tile it",
        },
        {"severity": "nit", "description": "Paint it blue", "location": "somewhere on the left"},
        {"level": "odd", "summary": "A draught", "dimension": "windows"},
        "No door",
    ]

    leak, paint, draught, door = parse_verdict(GOOD.replace("[]", json.dumps(found)), RUBRIC).findings

    assert ("It leaks", Severity.BLOCKER, "house/roof", "src/roof.py:12", "Tile it") == (
        leak.title,
        leak.severity,
        leak.rule,
        leak.where,
        leak.fix,
    )
    assert (Severity.SUGGESTION, "Paint it blue (somewhere on the left)") == (paint.severity, paint.detail)
    assert (Severity.IMPORTANT, "house") == (draught.severity, draught.rule)
    assert ("No door", Severity.IMPORTANT) == (door.title, door.severity)


def test_findings_that_were_complete_when_the_answer_was_cut_off_are_kept() -> None:
    reply = GOOD.replace("[]}", '[{"severity": "blocker", "title": "It burns"}, {"severity": "minor", "tit')

    verdict = parse_verdict(reply, RUBRIC)

    assert verdict.partial
    assert ["It burns"] == [finding.title for finding in verdict.findings]


@pytest.mark.row("EVAL-30", "C50")
def test_the_suggestion_is_one_line_that_can_be_stored() -> None:
    reply = GOOD.replace("[]}", '[], "suggestion": "First\\n the \\ud800 roof"}')

    assert "First the ? roof" == parse_verdict(reply, RUBRIC).suggestion


FRAGMENTS = st.sampled_from(
    [*'{}[]:,"\\/%', "'", "//", "/*", "*/", "NaN", "9", "0.5", '"walls":', '"roof":', GOOD, OTHER, "<think>"]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(FRAGMENTS | st.text(max_size=4), max_size=12).map("".join))
def test_whatever_is_said_the_scores_are_numbers_from_nought_to_one_or_there_are_none(reply: str) -> None:
    assert all(0.0 <= value <= 1.0 for value in read(reply) or ())


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 200), st.sampled_from([*'{}[]:,"\\x', "'", "//", ""]))
def test_damage_never_hides_a_blocker(place: int, damage: str) -> None:
    whole = GOOD.replace("[]", '[{"severity": "blocker", "dimension": "roof", "title": "It leaks"}]')
    reply = whole[:place] + damage + whole[place + 1 :]
    try:
        verdict = parse_verdict(reply, RUBRIC)
    except UnreadableError:
        return

    assert '"blocker"' not in reply or Severity.BLOCKER in [finding.severity for finding in verdict.findings]
