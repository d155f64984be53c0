"""Mask secrets in text: values that we hold, in every encoding, and what looks like a secret.

The one redactor of everything that OpenKoi writes. Knows text; knows no log, terminal or run.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from .assignments import assigned
from .encodings import encodings, packed
from .formats import formatted, ids
from .held import Found, HeldForms
from .known import SHORTEST, Secret, has_login
from .manifests import manifest_secrets
from .parts import parts_of
from .tokens import marked_tokens, wrapped_keys

MASK = "[redacted]"
HELD = "held"
BREAKS = (  # of lines, as they are and with what tools write before each: its number, or the mark of a diff or a quote
    re.compile(r"(?:\s|\\[nr])+"),
    re.compile(r"(?:\s|\\[nr])*(?:\n|\\n)(?:[ \t]|\\t)*(?:\d{1,7}(?:[ \t]*[|:>-]|[ \t]|\\t)|[+>#|*-])(?:[ \t]|\\t)*"),
)
CLEAN_LENGTH, MAX_CLEAN = 100, 4096  # names, ids and words of records: most texts are among those of the records before
LONG_LINE = 12  # programs break hex and base64 into lines of 60 to 76 characters, wherever in a value that is

Span = tuple[int, int]


class Redactor:
    """Masks secrets in text. ``hold`` a value as soon as it is known; ``allowed`` are the kinds that are not masked."""

    def __init__(self, secrets: Iterable[str | Secret] = (), allowed: Iterable[str] = ()) -> None:
        self.allowed = frozenset(allowed)
        self.held: dict[str, str] = {}
        self.forms = HeldForms()
        self.long = HeldForms()
        self.seen: set[str] = set()
        self.clean: set[str] = set()
        for secret in secrets:
            self.hold(*(secret if isinstance(secret, Secret) else (secret,)))

    def hold(self, secret: str, origin: str = HELD, password: bool = False) -> None:
        """Mask this value from now on, in all its encodings, if it is worth it; ``origin`` names it in warnings."""
        if secret in self.held or origin in self.allowed or not Secret(secret, origin, password).worth_holding:
            return
        self.held[secret] = origin
        self.clean = set()
        forms = [form for form in encodings(secret) if len(form) >= SHORTEST]
        self.forms.add(forms, origin)
        self.long.add((form for form in packed(secret) if len(form) >= LONG_LINE), origin)
        for part in parts_of(secret):
            self.hold(part, origin)

    def begun(self, text: str) -> int:
        """Where a held value begins that a text ends in the middle of, at one of its spaces; else the text's end."""
        spaced = (form for form in self.forms.origins if " " in form)
        parts = (form[: found.end()] for form in spaced for found in re.finditer(" ", form))
        return len(text) - max((len(part) for part in parts if text.endswith(part)), default=0)

    def holds(self, text: str) -> bool:
        """Whether a text has a held value in it, or a URL with credentials."""
        return has_login(text) or any(True for _ in self.known(text))

    def reason(self, kind: str) -> str:
        """Why something of this kind is masked, in words."""
        if kind in self.held.values():
            return f"it is the value of {kind}"
        if kind in ids():
            return f"it has the format of {kind}"
        return f"it stands under the name {kind}"

    def names(self, environment: Mapping[str, str]) -> frozenset[str]:
        """The variables whose value holds a secret that is known, in whatever form."""
        return frozenset(name for name, value in environment.items() if len(value) >= SHORTEST and self.holds(value))

    def __call__(self, text: str) -> str:
        """The text without secrets; their kinds are noted in ``seen``. Short texts without any are looked at once."""
        clean = self.clean
        if text in clean or len(text) < SHORTEST:
            return text
        spans = self.spans(text)
        if not spans and len(text) <= CLEAN_LENGTH:
            if len(clean) >= MAX_CLEAN:
                clean.clear()
            clean.add(text)
        return without(spans, text)

    def without_held(self, text: str) -> str:
        """The text without the values that we hold; what only looks like a secret stays: seals have to be unbroken."""
        return without(self.noted(self.known(text)), text)

    def spans(self, text: str) -> list[Span]:
        """Where secrets are, in order and apart from each other."""
        if len(text) < SHORTEST:
            return []
        return self.noted((*self.known(text), *(one for one in guessed(text) if one[2] not in self.allowed)))

    def noted(self, found: Iterable[Found]) -> list[Span]:
        """Note the kinds of what was found, of two that overlap the first; return where it stands."""
        spans = apart(found)
        self.seen.update(kind for _, _, kind in spans)
        return [(start, end) for start, end, _ in spans]

    def known(self, text: str) -> Iterator[Found]:
        """Where values stand that we hold, also in hex and base64 that is broken into lines."""
        yield from self.forms.found(text)
        for breaks in BREAKS if self.long.origins else ():
            if breaks.search(text):
                yield from self.broken(text, breaks)

    def broken(self, text: str, breaks: re.Pattern[str]) -> Iterator[Found]:
        """Where encoded values stand that are broken into lines."""
        found = list(self.long.found(breaks.sub("", text)))
        if not found:
            return
        ends = [(gap.start(), gap.end()) for gap in breaks.finditer(text)]
        starts = [0, *(end for _, end in ends)]
        kept = zip(starts, [*(start for start, _ in ends), len(text)], strict=True)
        offsets = [n for start, end in kept for n in range(start, end)]
        yield from ((offsets[start], offsets[end - 1] + 1, origin) for start, end, origin in found)


def without(spans: Iterable[Span], text: str) -> str:
    """A text with masks in place of stretches of it."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], MASK]
        at = end
    return "".join((*parts, text[at:])) if parts else text


def guessed(text: str) -> Iterator[Found]:
    """Where something stands that looks like a secret, and its kind."""
    yield from formatted(text)
    yield from assigned(text)
    yield from manifest_secrets(text)
    yield from marked_tokens(text)
    yield from wrapped_keys(text)


def apart(found: Iterable[Found]) -> list[Found]:
    """Join what overlaps; its kind is that which was found first."""
    joined: list[tuple[int, int, int, str]] = []
    for start, end, order, kind in sorted((start, end, n, kind) for n, (start, end, kind) in enumerate(found)):
        if joined and start < joined[-1][1]:
            first, last, before, known = joined[-1]
            joined[-1] = (first, max(end, last), *min((before, known), (order, kind)))
        else:
            joined.append((start, end, order, kind))
    return [(start, end, kind) for start, end, _, kind in joined]
