"""Name the tool calls that plugins make, so that a resumed run finds their results."""

import json
from collections import Counter
from hashlib import sha256

from openkoi_hookspecs import ToolCall


def plugin_call_id(call: ToolCall, made: Counter[str]) -> str:
    """Return an id that is the same when a run is resumed: what is called, and how often it was called before."""
    text = json.dumps([call.tool, call.arguments], sort_keys=True, default=str)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    made[digest] += 1
    return f"plugin-{digest}-{made[digest]}"
