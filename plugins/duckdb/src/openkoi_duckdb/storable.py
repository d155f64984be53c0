"""Facts as every store can hold them: in their texts, what is no character stands as the sign for one unknown.

Python can hold half a surrogate pair, from a byte that was no UTF-8, and NUL; UTF-8 has no room for the first, and
programs that read a file of tables take the second for the end. Knows no fact by name.
"""

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")
NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
UNKNOWN = "\ufffd"


def storable(fact: T) -> T:
    """The same fact with every text of it clean, however deep; itself when there is nothing to clean."""
    made: T = cleaned(fact)  # it answers what it is given
    return made


def cleaned(value: Any) -> Any:
    """The value, its parts cleaned. Types are only known while running, hence Any."""
    if isinstance(value, str):
        return NO_CHARACTER.sub(UNKNOWN, value) if NO_CHARACTER.search(value) else value
    if isinstance(value, (tuple, list)):
        return type(value)(cleaned(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return rebuilt(value)
    return value


def rebuilt(fact: Any) -> Any:
    """A dataclass with its fields cleaned."""
    before = {field.name: getattr(fact, field.name) for field in fields(fact)}
    after = {name: cleaned(value) for name, value in before.items()}
    changed = {name: value for name, value in after.items() if value != before[name]}
    return replace(fact, **changed) if changed else fact
