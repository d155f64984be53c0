"""Make texts storable: replace lone surrogates and NUL.

UTF-8 cannot encode a lone surrogate, and programs that read the tables treat NUL as the end of a text.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from openkoi_hookspecs.lazy_pattern import lazy_pattern

T = TypeVar("T")
NO_CHARACTER = lazy_pattern("[\0\ud800-\udfff]")
UNKNOWN = "\ufffd"


def storable(fact: T) -> T:
    """Return a fact with every text cleaned of what DuckDB cannot store."""
    made: T = replace_surrogates(fact)  # it answers what it is given
    return made


def replace_surrogates(value: Any) -> Any:
    """Return the value with its texts cleaned; types are known only at run time, hence Any."""
    if isinstance(value, str):
        return NO_CHARACTER.sub(UNKNOWN, value) if NO_CHARACTER.search(value) else value
    if isinstance(value, (tuple, list)):
        return type(value)(replace_surrogates(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return rebuilt(value)
    return value


def rebuilt(fact: Any) -> Any:
    """Return a dataclass with its fields cleaned."""
    before = {field.name: getattr(fact, field.name) for field in fields(fact)}
    after = {name: replace_surrogates(value) for name, value in before.items()}
    changed = {name: value for name, value in after.items() if value != before[name]}
    return replace(fact, **changed) if changed else fact
