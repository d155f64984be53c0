"""Mask secrets in plain JSON values, except for words and fields that records need unchanged."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

import openkoi_hookspecs
from openkoi_base.redact import MASK, Redactor, is_secret_name

from .wire_names import TAGS

SIGNATURE_FIELDS = frozenset(
    {"seal"}
)  # vendors sign these: one that is changed by a guess is refused when a run is resumed


def mask_json(value: Any, redact: Callable[[str], str]) -> Any:
    """Return plain JSON values with every text redacted."""
    if isinstance(value, str):
        return value if value in structural_words() else redact(value)
    if isinstance(value, dict):
        return {mask_json(key, redact): mask_field(str(key), item, redact) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_json(item, redact) for item in value]
    if value is None or isinstance(value, (int, float)):  # most others: to ask whether one is a mapping takes longer
        return value
    return mask_json(dict(value), redact) if isinstance(value, Mapping) else value


def mask_field(name: str, value: Any, redact: Callable[[str], str]) -> Any:
    """Return a field's redacted value, whose name may mark it as a secret."""
    if isinstance(value, str) and isinstance(redact, Redactor):
        if name in SIGNATURE_FIELDS:
            return redact.mask_known(value)
        if is_secret_name(name) and name not in redact.allowed and is_secret(value, name):
            redact.seen.add(name)
            return MASK
    return mask_json(value, redact)


def is_secret(value: str, name: str) -> bool:
    """Whether a value under a secret's name looks like one."""
    from openkoi_base.redact.assigned_values import looks_secret

    return looks_secret(value, name, quoted=True)


@cache
def structural_words() -> frozenset[str]:
    """Return the words that records are parsed by, which are never secrets."""
    kinds = [kind for kind in vars(openkoi_hookspecs).values() if isinstance(kind, type) and issubclass(kind, Enum)]
    return frozenset((*TAGS.values(), *(str(word) for kind in kinds for word in kind)))
