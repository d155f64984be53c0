"""Reasoning that only its vendor can read, as the seal of a thought. Knows the items; acts on nothing."""

import json
from collections.abc import Sequence

from openkoi_hookspecs import Json

HANDED_BACK = ("type", "id", "summary", "encrypted_content")

Item = dict[str, Json]


def sealed(items: Sequence[Item]) -> str:
    """Return reasoning items as one seal; those without their content cannot be handed back and are left out."""
    kept: list[Json] = [
        {key: item[key] for key in HANDED_BACK if key in item} for item in items if item.get("encrypted_content")
    ]
    return json.dumps(kept, separators=(",", ":")) if kept else ""


def unsealed(seal: str) -> Sequence[Item]:
    """Return the items of a seal; a seal of another vendor's holds none."""
    try:
        found: Json = json.loads(seal)
    except (ValueError, RecursionError):
        return ()
    items = found if isinstance(found, list) else []
    return [item for item in items if isinstance(item, dict) and item.get("type") == "reasoning"]
