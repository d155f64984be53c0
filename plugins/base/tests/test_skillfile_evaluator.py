"""What a SKILL.md says of an evaluator, and what has to be there for a skill to be used."""

import pytest

from openkoi_base.skillfile.evaluator import Dimension, Method, Rubric, parse_rubric
from openkoi_base.skillfile.problem import InvalidSkillError
from openkoi_base.skillfile.requirements import MachineFeatures, describe_missing, parse_requirements
from openkoi_base.skillfile.skill import read_skill

pytestmark = pytest.mark.unit

HEAD = "---\nname: mine\nkind: evaluator\n"


def rubric(rest: str) -> Rubric:
    return parse_rubric(read_skill(f"{HEAD}{rest}---\nLook closely.\n", "mine"))


def test_a_rubric_has_dimensions_whose_weights_sum_to_one() -> None:
    rows = "  - {name: x, weight: 0.7, description: Y}\n  - {name: z, weight: 0.3}\n"
    reply = f"metadata:\n  categories: [a, b]\n  dimensions:\n{rows}"

    dimensions = (Dimension("x", 0.7, "Y"), Dimension("z", 0.3))

    assert Rubric("mine", dimensions, categories=("a", "b"), guide="Look closely.") == rubric(reply)


@pytest.mark.row("C51")
def test_what_stands_beside_the_metadata_is_read_too() -> None:
    reply = "categories: finance, tax\ndimensions:\n  - {name: sums, weight: '1.0'}\n"

    assert (("finance", "tax"), (Dimension("sums", 1.0),)) == (rubric(reply).categories, rubric(reply).dimensions)


@pytest.mark.row("LOOP-24")
@pytest.mark.parametrize(
    ("reply", "method", "of", "expect"),
    [
        ("metadata: {method: llm_judge}\n", Method.LLM_JUDGE, "text", ()),
        ("metadata: {method: contains, expect: done}\n", Method.CONTAINS, "text", ("done",)),
        ("metadata: {method: contains, expect: [1, ' two ']}\n", Method.CONTAINS, "text", ("1", " two ")),
        ("metadata: {method: regex, expect: ^a, of: terminated_by}\n", Method.REGEX, "terminatedBy", ("^a",)),
    ],
)
def test_there_are_other_methods(reply: str, method: Method, of: str, expect: tuple[str, ...]) -> None:
    found = rubric(reply)

    assert (method, of, expect) == (found.method, found.of, found.expect)


def test_one_question_has_one_dimension() -> None:
    assert ["verdict"] == [dimension.name for dimension in rubric("metadata: {method: llm_judge}\n").dimensions]


def test_a_skill_of_another_kind_is_no_evaluator() -> None:
    with pytest.raises(InvalidSkillError, match="line 2: its kind is 'task'"):
        parse_rubric(read_skill("---\nkind: task\ndimensions: [{name: a, weight: 1}]\n---\n", "mine"))


@pytest.mark.row("C18")
@pytest.mark.parametrize("name", ["error responses", "Error_Responses", "error-response"])
def test_spellings_of_a_dimension_are_one(name: str) -> None:
    found = rubric("dimensions: [{name: error responses, weight: 1}]\n").find_dimension(name)

    assert found is not None


HERE = MachineFeatures("linux", {"git": "/bin/git"}.get, {"TOKEN": "x", "EMPTY": ""})


@pytest.mark.row("SKILL-05")
@pytest.mark.parametrize(
    ("metadata", "missing"),
    [
        ({}, ""),
        ({"os": ["darwin", "linux"]}, ""),
        ({"os": "macos"}, "it requires macos, but this is linux"),
        ({"openclaw": {"requires": {"bins": ["git"], "env": ["TOKEN"]}}}, ""),
        ({"openclaw": {"requires": {"bins": ["hg"]}}}, "it requires the program hg, which is not installed"),
        ({"requires": {"env": ["TOKEN", "EMPTY"]}}, "it requires the environment variable EMPTY, which is not set"),
        ({"openkoi": {"os": ["windows"]}}, "it requires windows, but this is linux"),
    ],
)
def test_a_skill_says_what_it_needs(metadata: dict[str, object], missing: str) -> None:
    assert missing == describe_missing(parse_requirements(metadata), HERE)
