"""Mask secrets in plain JSON values. Knows which words and fields of a record have to stay as they are."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

import openkoi_hookspecs
from openkoi_base.redact import MASK, Redactor, is_secret_name

from .wire_names import TAGS

SEALED = frozenset({"seal"})  # vendors sign these: one that is changed by a guess is refused when a run is resumed


def masked(value: Any, redact: Callable[[str], str]) -> Any:
    """Plain JSON values with every text in them redacted: what is written of them is JSON still, and can be read."""
    if isinstance(value, str):
        return value if value in structure() else redact(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, Mapping):
        return {masked(key, redact): masked_field(str(key), item, redact) for key, item in value.items()}
    return [masked(item, redact) for item in value] if isinstance(value, (list, tuple)) else value


def masked_field(name: str, value: Any, redact: Callable[[str], str]) -> Any:
    """A value under a name: the name may say that it is a secret."""
    if isinstance(value, str) and isinstance(redact, Redactor):
        if name in SEALED:
            return redact.mask_known(value)
        if is_secret_name(name) and name not in redact.allowed and is_secret(value, name):
            redact.seen.add(name)
            return MASK
    return masked(value, redact)


def is_secret(value: str, name: str) -> bool:
    """Whether a value under a secret's name looks like one."""
    from openkoi_base.redact.assigned_values import looks_secret

    return looks_secret(value, name, quoted=True)


@cache
def structure() -> frozenset[str]:
    """The words that records choose from, and by which they are read again: no secret, whatever else they are."""
    kinds = [kind for kind in vars(openkoi_hookspecs).values() if isinstance(kind, type) and issubclass(kind, Enum)]
    return frozenset((*TAGS.values(), *(str(word) for kind in kinds for word in kind)))
