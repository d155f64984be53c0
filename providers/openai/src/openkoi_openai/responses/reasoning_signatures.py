"""Convert encrypted reasoning items to and from reasoning signatures."""

import json
from collections.abc import Sequence

from openkoi_hookspecs import Json

SENT_KEYS = ("type", "id", "summary", "encrypted_content")

Item = dict[str, Json]


def join_items(items: Sequence[Item]) -> str:
    """Return reasoning items as one signature; skip items without encrypted content, which cannot be sent back."""
    kept: list[Json] = [
        {key: item[key] for key in SENT_KEYS if key in item} for item in items if item.get("encrypted_content")
    ]
    return json.dumps(kept, separators=(",", ":")) if kept else ""


def split_items(seal: str) -> Sequence[Item]:
    """Return the reasoning items of a signature; another vendor's signature contains none."""
    try:
        found: Json = json.loads(seal)
    except (ValueError, RecursionError):
        return ()
    items = found if isinstance(found, list) else []
    return [item for item in items if isinstance(item, dict) and item.get("type") == "reasoning"]
