"""Write JSON and refusals as OpenAI does."""

from openkoi_hookspecs import Json

from .http_server import ServerResponse
from .json_body import to_json

CREATED = 1_790_000_000


def refuse(status: int, message: str, code: "str | None", param: "str | None" = None) -> ServerResponse:
    """Return a refusal as the vendor sends it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return ServerResponse([to_json({"error": error})], status=status)


def as_object(value: Json) -> dict[str, Json]:
    """Cast a value that should be an object."""
    return value if isinstance(value, dict) else {}
