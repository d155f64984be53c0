"""A fact is checked field by field, however many like it were right before."""

from typing import Any

import pytest

from openkoi_base.isolation import type_error_of
from openkoi_hookspecs import Layer, Section


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, ""),
        ({"text": 3}, "text: int is not str"),
        ({"layer": "project"}, "layer: str is not Layer"),
        ({"untrusted": None}, "untrusted: NoneType is not bool"),
    ],
)
def test_a_wrong_field_is_found_before_and_after_right_ones(fields: dict[str, Any], wrong: str) -> None:
    facts: dict[str, Any] = {"name": "style", "text": "Be brief.", "layer": Layer.PROJECT}

    found = [type_error_of(Section(**{**facts, **fields}), Section)]
    right = [type_error_of(Section(**facts), Section) for _ in range(3)]
    found.append(type_error_of(Section(**{**facts, **fields}), Section))

    assert ([wrong, wrong], ["", "", ""]) == (found, right)
