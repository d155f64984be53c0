"""What a model may give a tool, and what it is told otherwise."""

import json

import pytest
from data_files import fault_cases

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Json, ToolError

pytestmark = pytest.mark.unit

PARAMETERS = Parameters(
    {"path": {"type": "string"}, "n": {"type": "integer", "minimum": 1}, "all": {"type": "boolean"}},
    required=("path",),
)


@pytest.mark.parametrize("given", [3, "3", " 3 ", 3.0])
def test_a_whole_number_may_be_written_in_any_lossless_way(given: Json) -> None:
    assert 3 == PARAMETERS.accept({"path": "a", "n": given}).number("n", 0)


@pytest.mark.parametrize("given", [True, "true", "True"])
def test_a_truth_value_may_be_written_as_text(given: Json) -> None:
    assert PARAMETERS.accept({"path": "a", "all": given}).flag("all")


def test_null_stands_for_what_is_left_out() -> None:
    assert 7 == PARAMETERS.accept({"path": "a", "n": None}).number("n", 7)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "The argument 'path' is missing. Expected: path (text), n (a whole number, optional)"),
        ({"path": None}, "The argument 'path' is missing."),
        ({"pth": "a"}, "Unknown argument 'pth'. Did you mean 'path'? Expected: path (text)"),
        ({"path": 5}, "The argument 'path' must be text, not 5."),
        ({"path": ["a"]}, "The argument 'path' must be text, not ['a']."),
        ({"path": "a", "n": 3.5}, "The argument 'n' must be a whole number, not 3.5."),
        ({"path": "a", "n": True}, "The argument 'n' must be a whole number, not True."),
        ({"path": "a", "n": "9" * 5000}, "The argument 'n' must be a whole number, not '999"),
        ({"path": "a", "n": float("inf")}, "The argument 'n' must be a whole number, not inf."),
        ({"path": "a", "n": 0}, "The argument 'n' must be 1 or more, not 0."),
        ({"path": "a", "all": 1}, "The argument 'all' must be true or false, not 1."),
        ({"path": "a\ud83d"}, "The argument 'path' contains half a character (a lone surrogate) at offset 1."),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_expected(arguments: dict[str, Json], sentence: str) -> None:
    with pytest.raises(ToolError) as fault:
        PARAMETERS.accept(arguments)

    assert str(fault.value).startswith(sentence)


@pytest.mark.parametrize("case", ["T06", "T08", "T09"])
def test_catalogued_arguments_are_taken_or_refused_as_labelled(case: str) -> None:
    fault = next(one for one in fault_cases("tool") if one["id"] == case)
    schema, given = fault["given"]["schema"], json.loads(fault["given"]["arguments"])
    parameters = Parameters(schema["properties"], tuple(schema["required"]))

    assert fault["expect"].get("args") == taken(parameters, given)


def taken(parameters: Parameters, given: dict[str, Json]) -> dict[str, object] | None:
    """The arguments as they are taken, None when they are refused."""
    try:
        return dict(parameters.accept(given).values)
    except ToolError:
        return None
