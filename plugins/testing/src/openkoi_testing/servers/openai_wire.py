"""How OpenAI writes JSON and refusals. Knows bytes; knows neither of its dialects."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from openkoi_hookspecs import Json

from .http import Served

Body: TypeAlias = Mapping[str, object]
CREATED = 1_790_000_000


def written(value: Body) -> bytes:
    """Write JSON as the vendor does, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def refusal(status: int, message: str, code: "str | None", param: "str | None" = None) -> Served:
    """Refuse a request as the vendor does."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Served([written({"error": error})], status=status)


def as_object(value: Json) -> dict[str, Json]:
    """Take what should be an object for one."""
    return value if isinstance(value, dict) else {}
