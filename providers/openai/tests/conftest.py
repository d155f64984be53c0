"""The vendor's own description of its API, to hold requests against."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).resolve().parents[3].parent / "shared" / "schemas" / "openai.openapi.yaml"
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@pytest.fixture(scope="session")
def description() -> Path:
    """Where the description is."""
    return SCHEMAS


@pytest.fixture(scope="session")
def described() -> Callable[[str, Any], None]:
    """Hold something against the description, of which only the parts are read that are needed, each once.

    Its alternatives overlap: any of them will do. Where it is not at hand nothing is held against it, and one test is
    skipped that says so.
    """
    if not SCHEMAS.exists():
        return lambda name, value: None
    text = SCHEMAS.read_text(encoding="utf-8")
    pieces = re.split(r"^    ([\w.-]+):\n", text[text.index("\n  schemas:\n") :], flags=re.MULTILINE)
    blocks, found = dict(zip(pieces[1::2], pieces[2::2], strict=True)), {}

    def check(name: str, value: Any) -> None:
        wanted = [name]
        while wanted:
            part = wanted.pop()
            if part not in found:
                found[part] = yaml.load(blocks[part].replace("oneOf:", "anyOf:"), Loader)
                wanted += re.findall(r"#/components/schemas/([\w.-]+)", blocks[part])
        whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": found}}
        assert not [error.message for error in Draft202012Validator(whole).iter_errors(value)]

    return check
