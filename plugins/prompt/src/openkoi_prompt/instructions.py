"""Choose the executor's system prompt for a model: common sections, adapted to the model's family and edit format.

The texts, and the reason for each difference, are in ``executor.toml``.
"""

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from openkoi_hookspecs import Layer, Section

INSTRUCTIONS_SECTION = "instructions"
Table: TypeAlias = Mapping[str, Any]


def executor_instructions(model: str = "", edit: str = "") -> Section:
    """Return the system prompt for ``provider/model``; a model of an unknown family gets the common sections."""
    table = read_table()
    family, format_ = family_of(model), table["edits"].get(edit, {})
    sections = {**table["sections"], **family.get("sections", {}), **format_.get("sections", {})}
    return Section(INSTRUCTIONS_SECTION, "\n\n".join(filter(None, sections.values())), layer=Layer.SYSTEM)


def family_of(model: str) -> Table:
    """Return the first family that a model belongs to; empty if it belongs to none."""
    return next((family for family in read_table()["families"] if belongs_to_family(model.casefold(), family)), {})


def belongs_to_family(model: str, family: Table) -> bool:
    """Return whether a family's patterns match a model's name."""
    excluded = any(fnmatchcase(model, pattern) for pattern in family.get("except", ()))
    return not excluded and any(fnmatchcase(model, pattern) for pattern in family["models"])


@cache
def read_table() -> Table:
    """Return the texts."""
    return tomllib.loads(Path(__file__).with_name("executor.toml").read_text(encoding="utf-8"))
