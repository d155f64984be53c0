"""Write JSON and refusals as OpenAI does."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from openkoi_hookspecs import Json

from .http_server import ServerResponse

Body: TypeAlias = Mapping[str, object]
CREATED = 1_790_000_000


def to_json(value: Body) -> bytes:
    """Return JSON as the vendor writes it, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def refuse(status: int, message: str, code: "str | None", param: "str | None" = None) -> ServerResponse:
    """Return a refusal as the vendor sends it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return ServerResponse([to_json({"error": error})], status=status)


def as_object(value: Json) -> dict[str, Json]:
    """Take what should be an object for one."""
    return value if isinstance(value, dict) else {}
