"""The data in tests/data: a catalogue of faults, labelled shell commands, and the schemas that vendors publish."""

import functools
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator

DATA = Path(__file__).parent / "data"
FAULTS = DATA / "faults.json"
SHELL_COMMANDS = DATA / "shell.json"
COMMAND_SETS = DATA / "commands"

Case = dict[str, Any]  # the catalogue is JSON whose fields differ from case to case


def fault_cases(layer: str) -> list[Case]:
    """Return the catalogue's cases of a layer: eval, http, proto, sse or tool."""
    return [case for case in read_faults() if case["layer"] == layer]


@functools.cache
def read_faults() -> list[Case]:
    """Return all cases of the catalogue."""
    found: list[Case] = json.loads(FAULTS.read_text(encoding="utf-8"))["cases"]
    return found


def case_name(case: Case) -> str:
    """Return a case's id and what it is about, for the names of tests."""
    return f"{case['id']} {case['why']}"


def schema_errors(vendor: str, name: str, value: object, *, overlapping: bool = False) -> list[str]:
    """Return what a vendor's published schema objects to in a value; ``overlapping`` alternatives may fit together."""
    return [error.message for error in validator(vendor, name, overlapping).iter_errors(value)]


@functools.cache
def validator(vendor: str, name: str, overlapping: bool) -> Draft202012Validator:
    """Return the validator of one of a vendor's schemas."""
    text = (DATA / "schemas" / f"{vendor}.json").read_text(encoding="utf-8")
    schemas = with_null(json.loads(text.replace('"oneOf":', '"anyOf":') if overlapping else text))
    place = quote(name.replace("/", "~1"))  # a pointer in a fragment of an address
    return Draft202012Validator({"$ref": f"#/components/schemas/{place}", "components": {"schemas": schemas}})


def with_null(schema: Any) -> Any:
    """Turn OpenAPI's ``nullable`` into an alternative, as JSON Schema has it."""
    if isinstance(schema, list):
        return [with_null(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: with_null(value) for key, value in schema.items()}
    return {"anyOf": [inner, {"type": "null"}]} if schema.get("nullable") is True else inner
