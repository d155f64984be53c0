"""Test when strict mode is requested: only if it means exactly what the schema says."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from openkoi_openai.output_schema import convert_schema, strict_schema

pytestmark = pytest.mark.unit

POINT: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
    "required": ["y", "x"],
    "additionalProperties": False,
}


def closed(**properties: Any) -> dict[str, Any]:
    """An object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@pytest.mark.parametrize(
    "schema",
    [
        POINT,
        closed(),
        closed(at=POINT, all={"type": "array", "items": POINT, "minItems": 1}),
        closed(maybe={"anyOf": [POINT, {"type": "null"}]}),
        closed(kind={"type": "string", "enum": ["a", "b"]}, two={"type": ["string", "null"]}),
        closed(day={"type": "string", "format": "date"}),
        {**closed(at={"$ref": "#/$defs/point"}), "$defs": {"point": POINT}},
        closed(score={"type": "number", "minimum": 0, "maximum": 1, "description": "How good."}),
        closed(default={"type": "string"}, examples={"type": "string"}),
    ],
)
def test_what_is_exact_is_strict_and_stays_as_it_is(schema: Any) -> None:
    assert schema == strict_schema(schema)
    assert convert_schema(schema)["strict"] is True


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array", "items": POINT},
        {"anyOf": [POINT]},
        {"type": "object"},
        {**POINT, "required": ["x"]},
        {**POINT, "additionalProperties": True},
        {key: value for key, value in POINT.items() if key != "additionalProperties"},
        closed(at={**POINT, "required": []}),
        closed(all={"type": "array"}),
        closed(all={"type": "array", "items": {"type": "object"}}),
        closed(any={}),
        closed(any=True),
        closed(kind={"enum": ["a", "b"]}),
        closed(at={"$ref": "#/$defs/point", "type": "object"}),
        closed(page={"type": "string", "format": "uri"}),
        closed(page={"type": "string", "pattern": "^(?=a)"}),
        {"type": "object", "additionalProperties": False},
        closed(maybe={"anyOf": [{"type": "object"}, {"type": "null"}]}),
        closed(maybe={"type": ["object", "null"]}),
        closed(name={"type": "string", "minLength": 1}),
        closed(either={"oneOf": [POINT]}),
        {**closed(at={"$ref": "#/$defs/point"}), "$defs": {"point": {"type": "object"}}},
        {**POINT, "allOf": [POINT]},
        {**POINT, "properties": []},
        {**POINT, "required": "xy"},
    ],
)
def test_what_says_less_or_more_is_not_strict_and_stays_as_it_is(schema: Any) -> None:
    assert strict_schema(schema) is None
    assert {"name": "answer", "schema": schema} == convert_schema(schema)


def test_remarks_are_left_out_where_strict_mode_takes_none_and_nothing_else_changes() -> None:
    held = {"x": {"type": "number", "default": 1}, "y": {"$ref": "#/$defs/y", "description": "Some y."}}
    remarked = {**closed(**held), "$defs": {"y": {"type": "string"}}, "$schema": "https://json-schema.org/x"}
    exact = strict_schema(remarked)

    assert {**closed(x={"type": "number"}, y={"$ref": "#/$defs/y"}), "$defs": {"y": {"type": "string"}}} == exact
    for answer in ({"x": 1, "y": "a"}, {}, {"x": "1", "y": "a"}, {"x": 1, "y": 2}, {"x": 1, "y": "a", "z": 1}):
        assert Draft202012Validator(remarked).is_valid(answer) == Draft202012Validator(exact).is_valid(answer)


def test_what_goes_too_deep_is_not_strict() -> None:
    deep = closed()
    for _ in range(20):
        deep = closed(inner=deep)

    assert strict_schema(deep) is None


def test_a_shape_has_a_name_that_the_vendor_takes() -> None:
    assert convert_schema({"title": "My answer: é!" * 20})["name"] == ("My_answer_" * 20)[:64]
