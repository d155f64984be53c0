"""Write JSON as servers send it, and find the objects in what clients sent."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from openkoi_hookspecs import Json

Body: TypeAlias = Mapping[str, object]


def to_json(value: object) -> bytes:
    """Encode a body without spaces, as servers do."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def objects_in(value: Json) -> list[dict[str, Json]]:
    """Return the objects of a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
