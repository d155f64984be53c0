"""Mask secrets (API keys) in text before it is logged, shown or sent: known values, and what ``formats`` detects.

The log, recordings, command output and reports all use this redactor.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .assignments import find_assigned
from .encodings import encode_all, pack_bytes
from .formats import find_formatted, ids
from .known import MIN_SECRET_CHARACTERS, Secret, has_login
from .known_forms import Found, KnownForms
from .manifests import manifest_secrets
from .parts import parts_of
from .scattered import GZIP_START, GZIPPED, HEX_BREAKS, HEX_BYTES, unpack_gzip
from .tokens import marked_tokens, wrapped_keys

MASK = "[redacted]"
HELD = "held"
BREAKS = (  # of lines, as they are and with what tools write before each: its number, or the mark of a diff or a quote
    lazy_pattern(r"(?:\s|\\[nr])+"),
    lazy_pattern(r"(?:\s|\\[nr])*(?:\n|\\n)(?:[ \t]|\\t)*(?:\d{1,7}(?:[ \t]*[|:>-]|[ \t]|\\t)|[+>#|*-])(?:[ \t]|\\t)*"),
)
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uff00-\uff65"  # Thai to Japanese
WORD_END = lazy_pattern(f"[ {UNSPACED}]")
MAX_CLEAN = 4096  # names, ids, words and prompts of records: most texts are among those of the records before
MIN_LINE_CHARACTERS = 12  # shorter values are not searched for across line breaks (estimate)

Span = tuple[int, int]


class Redactor:
    """Masks secrets in text. ``hold`` a value as soon as it is known; ``allowed`` kinds are not masked."""

    def __init__(self, secrets: Iterable[str | Secret] = (), allowed: Iterable[str] = ()) -> None:
        self.allowed = frozenset(allowed)
        self.held: dict[str, str] = {}
        self.forms = KnownForms()
        self.long = KnownForms()
        self.seen: set[str] = set()
        self.clean: set[int] = set()  # hashes of 64 bits, under a key of this process: texts would fill the memory
        for secret in secrets:
            self.hold(*(secret if isinstance(secret, Secret) else (secret,)))

    def hold(self, secret: str, origin: str = HELD, password: bool = False) -> None:
        """Mask this value from now on, in all its encodings, if it is maskable; ``origin`` names it in warnings."""
        if secret in self.held or origin in self.allowed or not Secret(secret, origin, password).is_maskable:
            return
        self.held[secret] = origin
        self.clean = set()
        forms = [form for form in encode_all(secret) if len(form) >= MIN_SECRET_CHARACTERS]
        self.forms.add(forms, origin)
        pieces = ("".join(secret.split()), *pack_bytes(secret))
        self.long.add((form for form in pieces if len(form) >= MIN_LINE_CHARACTERS), origin)
        for part in parts_of(secret):
            self.hold(part, origin)

    def partial_start(self, text: str) -> int:
        """Return where a known value starts that the end of the text cuts off, at a whole word; else the end."""
        several = (form for form in self.forms.origins if " " in form or not form.isascii())
        parts = (form[: found.end()] for form in several for found in WORD_END.finditer(form))
        return len(text) - max((len(part) for part in parts if text.endswith(part)), default=0)

    def contains_known(self, text: str) -> bool:
        """Return whether a text contains a known value, or a URL with credentials."""
        return has_login(text) or any(True for _ in self.find_known(text))

    def reason(self, kind: str) -> str:
        """Return why a secret of this kind is masked."""
        if kind in self.held.values():
            return f"it is the value of {kind}"
        if kind in ids():
            return f"it has the format of {kind}"
        return f"it is assigned to {kind}, a name used for secrets"

    def find_names(self, environment: Mapping[str, str]) -> frozenset[str]:
        """Return the variables whose value contains a known secret, in any form."""
        return frozenset(
            name
            for name, value in environment.items()
            if len(value) >= MIN_SECRET_CHARACTERS and self.contains_known(value)
        )

    def __call__(self, text: str) -> str:
        """Return the text without secrets; record their kinds in ``seen``."""
        clean, known = self.clean, hash(text)
        if known in clean or len(text) < MIN_SECRET_CHARACTERS:
            return text
        spans = self.spans(text)
        if not spans:
            if len(clean) >= MAX_CLEAN:
                clean.clear()
            clean.add(known)
        return mask_spans(spans, text)

    def mask_known(self, text: str) -> str:
        """Return the text without known values; keep text that only looks like a secret, for signatures."""
        return mask_spans(self.record_kinds(self.find_known(text)), text)

    def spans(self, text: str) -> list[Span]:
        """Return the positions of secrets, in order and disjoint."""
        if len(text) < MIN_SECRET_CHARACTERS:
            return []
        return self.record_kinds(
            (*self.find_known(text), *(one for one in find_guessed(text) if one[2] not in self.allowed))
        )

    def record_kinds(self, found: Iterable[Found]) -> list[Span]:
        """Record the kinds of secrets, only the first if two overlap; return the positions."""
        spans = join_overlaps(found)
        self.seen.update(kind for _, _, kind in spans)
        return [(start, end) for start, end, _ in spans]

    def find_known(self, text: str) -> Iterator[Found]:
        """Yield the positions of known values, also broken into lines, in dumps, and compressed."""
        yield from self.forms.find(text)
        for breaks in self.possible_breaks(text) if self.long.origins else ():
            if breaks.search(text):
                yield from self.find_broken(text, breaks)
        yield from self.find_compressed(text)

    def possible_breaks(self, text: str) -> Iterator[re.Pattern[str]]:
        """Yield the breaks that a value in this text may have."""
        lines = "\\" in text or "\n" in text
        if lines or any(True for _ in self.long.find("".join(text.split()))):
            yield BREAKS[0]
        if lines:
            yield BREAKS[1]
        if HEX_BYTES.search(text):
            yield from HEX_BREAKS

    def find_compressed(self, text: str) -> Iterator[Found]:
        """Yield the positions of compressed texts that contain a known value."""
        for found in GZIPPED.finditer(text) if self.forms.origins and GZIP_START in text else ():
            if origin := next((origin for _, _, origin in self.forms.find(unpack_gzip(found[0]))), ""):
                yield found.start(), found.end(), origin

    def find_broken(self, text: str, breaks: re.Pattern[str]) -> Iterator[Found]:
        """Yield the positions of values, plain or encoded, that are broken into pieces."""
        found = list(self.long.find(breaks.sub("", text)))
        if not found:
            return
        ends = [(gap.start(), gap.end()) for gap in breaks.finditer(text)]
        starts = [0, *(end for _, end in ends)]
        kept = zip(starts, [*(start for start, _ in ends), len(text)], strict=True)
        offsets = [n for start, end in kept for n in range(start, end)]
        yield from ((offsets[start], offsets[end - 1] + 1, origin) for start, end, origin in found)


def mask_spans(spans: Iterable[Span], text: str) -> str:
    """Return a text with masks in place of spans."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], MASK]
        at = end
    return "".join((*parts, text[at:])) if parts else text


def find_guessed(text: str) -> Iterator[Found]:
    """Yield the positions of text that looks like a secret, and its kind."""
    yield from find_formatted(text)
    yield from find_assigned(text)
    yield from manifest_secrets(text)
    yield from marked_tokens(text)
    yield from wrapped_keys(text)


def join_overlaps(found: Iterable[Found]) -> list[Found]:
    """Join overlapping positions; the first kind wins."""
    joined: list[tuple[int, int, int, str]] = []
    for start, end, order, kind in sorted((start, end, n, kind) for n, (start, end, kind) in enumerate(found)):
        if joined and start < joined[-1][1]:
            first, last, before, known = joined[-1]
            joined[-1] = (first, max(end, last), *min((before, known), (order, kind)))
        else:
            joined.append((start, end, order, kind))
    return [(start, end, kind) for start, end, _, kind in joined]
