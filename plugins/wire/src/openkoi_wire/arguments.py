"""Read the arguments of a tool call as a model wrote them.

What is whole and unambiguous is read, also with Python's quotes or a comma too many. What was cut off, glued together
or says a thing twice is not guessed at. Knows no schema: whether the arguments fit the tool is for others to judge.
"""

import ast
import json
import math
import warnings
from collections.abc import Sequence

from openkoi_hookspecs import Json

NAMES: dict[str, Json] = {"true": True, "false": False, "null": None}
DEEPEST = 100


def read_arguments(text: str) -> dict[str, Json] | None:
    """Return the arguments, or None when they cannot be relied upon. Nothing at all means no arguments."""
    if not text.strip():
        return {}
    value = read(text)
    return value if isinstance(value, dict) else None


def read(text: str) -> Json:
    """Read JSON, or else what looks like it; None when neither will do."""
    try:
        value = strict(text)
    except (ValueError, RecursionError):
        value = lenient(text)
    return value if shallow(value, DEEPEST) else None


def strict(text: str) -> Json:
    """Read JSON, also when it was written as a string of JSON."""
    value: Json = json.loads(text, strict=False, object_pairs_hook=once, parse_constant=finite, parse_float=finite)
    return strict(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


def once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    """Build an object, each of its keys said once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is said twice")
    return found


def finite(number: str | float) -> float:
    """Refuse what is not a number, or too large to be one."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is not a number")
    return value


def lenient(text: str) -> Json:
    """Read a literal as Python reads it; None when it is none, or doubtful."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return literal(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, Warning, RecursionError, MemoryError):
        return None


def literal(node: ast.expr) -> Json:
    """Turn a parsed literal into what JSON knows."""
    match node:
        case ast.Dict():
            return once([(name(key), literal(value)) for key, value in zip(node.keys, node.values, strict=True)])
        case ast.List():
            return [literal(item) for item in node.elts]
        case ast.Name() if node.id in NAMES:
            return NAMES[node.id]
        case ast.Constant(value=str(value)):
            return sound(value)
        case ast.Constant(value=float(value)):
            return finite(value)
        case ast.Constant(value=bool() | int() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    raise ValueError("not a value")


def name(key: ast.expr | None) -> str:
    """Read a key, which has to be a string."""
    value = literal(key) if key is not None else None
    if not isinstance(value, str):
        raise ValueError("not a key")
    return value


def sound(value: str) -> str:
    """Refuse halves of characters, which JSON would have joined."""
    value.encode()
    return value


def shallow(value: Json, levels: int) -> bool:
    """Whether a value goes no deeper than so many levels."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(shallow(item, levels - 1) for item in inner)
