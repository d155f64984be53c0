"""Test that invalid JSON Schema in a tool's parameters is reported with its place."""

from typing import Any

import pytest

from openkoi_testing.contracts.tool_schema import find_schema_errors

ADDRESS = {"type": "object", "properties": {"street": {"type": ["string", "null"]}}, "required": ["street"]}


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        ({"type": "object", "properties": {"to": {"anyOf": [ADDRESS, {"type": "array", "items": ADDRESS}]}}}, []),
        ({"type": "object", "additionalProperties": False, "properties": {"a": {"enum": [1, "b"]}, "b": True}}, []),
        ({"type": "object", "required": "text"}, ["parameters.required is 'text', not a list of names"]),
        ({"properties": {"a": {"type": "strng"}}}, ["parameters.properties.a.type is 'strng'; use array, boolean"]),
        ({"properties": {"a": "string"}}, ["parameters.properties.a is 'string', not a schema"]),
        ({"properties": ["a"]}, ["parameters.properties is ['a'], not an object"]),
        ({"properties": {"a": {"items": {"enum": "x"}}}}, ["parameters.properties.a.items.enum is 'x', not a list"]),
        ({"anyOf": [{"type": "object"}, {"type": 7}]}, ["parameters.anyOf[1].type is 7; use array, boolean"]),
    ],
)
def test_what_is_not_a_schema_is_named_with_its_place(schema: dict[str, Any], errors: list[str]) -> None:
    found = list(find_schema_errors(schema))

    assert [True] * len(errors) == [one.startswith(error) for one, error in zip(found, errors, strict=True)]
