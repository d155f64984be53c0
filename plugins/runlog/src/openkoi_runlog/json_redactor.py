"""Redact secrets from records of the run log, as JSON values, except for words and fields that are needed unchanged."""

from collections.abc import Callable, Set
from enum import Enum
from functools import cache
from typing import Any

import openkoi_hookspecs
from openkoi_base.redact import MASK, Redactor, is_secret_name
from openkoi_base.redact.known import MIN_SECRET_CHARACTERS
from openkoi_hookspecs import File, Image

from .blobs import to_stored
from .codec import encode
from .wire_names import TAGS, wire_names

SIGNATURE_FIELDS = frozenset(
    {"seal"}
)  # vendors sign these: one that is changed by a guess is refused when a run is resumed


@cache
def special_names(kind: Any) -> frozenset[str]:
    """Return the names of a class's fields for signatures and secrets."""
    names = wire_names(kind).values()
    return frozenset(name for name in names if name in SIGNATURE_FIELDS or is_secret_name(name))


class JsonRedactor:
    """Masks texts while they are encoded, with a redactor or a function like one.

    The bytes of images and files are added to ``blobs``.
    """

    __slots__ = ("blobs", "clean", "redact", "redactor", "shortest", "words")
    special = staticmethod(special_names)

    def __init__(self, redact: Callable[[str], str], blobs: dict[str, bytes] | None = None) -> None:
        self.redact = redact
        self.redactor = redact if isinstance(redact, Redactor) else None
        self.begin(blobs)
        self.shortest = MIN_SECRET_CHARACTERS if self.redactor else 0
        self.words = structural_words()

    def begin(self, blobs: dict[str, bytes] | None) -> None:
        """Add bytes to ``blobs`` from now on; do not check texts again that the redactor has found clean."""
        self.blobs = blobs
        self.clean: Set[int] = self.redactor.clean if self.redactor else frozenset()

    def text(self, value: str) -> str:
        """Return a text without secrets."""
        is_clean = hash(value) in self.clean or len(value) < self.shortest or value in self.words
        return value if is_clean else self.redact(value)

    def field_text(self, name: str, value: str) -> str:
        """Return the text of a field, whose name may mark it as a secret."""
        if redactor := self.redactor:
            if name in SIGNATURE_FIELDS:
                return redactor.mask_known(value)
            if is_secret_name(name) and name not in redactor.allowed and is_secret(value, name):
                redactor.seen.add(name)
                return MASK
        return self.text(value)

    def store(self, media: Image | File) -> Image | File:
        """Return an image or a file with a reference in place of its bytes."""
        return to_stored(media, self.redact, self.blobs)


def redact_json(value: Any, redact: Callable[[str], str], blobs: dict[str, bytes] | None = None) -> Any:
    """Return plain JSON values with every text redacted; the bytes they refer to are added to ``blobs``."""
    return encode(value, JsonRedactor(redact, blobs))


def is_secret(value: str, name: str) -> bool:
    """Whether a value under a secret's name looks like one."""
    from openkoi_base.redact.assigned_values import looks_secret

    return looks_secret(value, name, quoted=True)


@cache
def structural_words() -> frozenset[str]:
    """Return the words that records are parsed by, which are never secrets."""
    kinds = [kind for kind in vars(openkoi_hookspecs).values() if isinstance(kind, type) and issubclass(kind, Enum)]
    return frozenset((*TAGS.values(), *(str(word) for kind in kinds for word in kind)))
