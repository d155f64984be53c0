"""Convert facts to JSON for the tables, and back: read as in the run log, but written with every field.

The log omits default values and includes class names; the tables contain every field, so that an SQL query finds each
field under the path that its class gives it.
"""

import json
from typing import TypeVar

from openkoi_runlog import decode, to_dict

T = TypeVar("T")


def to_json(fact: object) -> str:
    """Return a fact as JSON."""
    return json.dumps(to_dict(fact), ensure_ascii=True, separators=(",", ":"))


def parse_fact(kind: type[T], text: str) -> T:
    """Parse a fact of this kind; ignore unknown fields."""
    made: T = decode(kind, json.loads(text))  # decode answers an instance of the kind it is given
    return made
