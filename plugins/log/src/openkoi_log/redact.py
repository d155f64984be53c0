"""The funnel that secrets do not pass. Knows values we hold and the looks of others; knows no log, terminal or run.

Exact values in every encoding come first: they are the only certain rule. Patterns catch strangers' keys.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
SHORTEST = 6
ORDINARY = re.compile(r"[a-z_-]{1,15}")
NAMES = re.compile(r"(?i)(?:^|_)(?:key|token|secret|passwd|password|credentials?)(?:$|_)")
PREFIXES = (
    r"sk-(?:ant-|proj-|or-)?[\w-]{20,}",
    r"AIza[\w-]{35}",
    r"gh[pousr]_\w{36,}",
    r"github_pat_\w{22,}",
    r"xox[abposr]-[\w-]{10,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"ntn_\w{20,}",
    r"gsk_\w{20,}",
    r"xai-\w{20,}",
    r"glpat-[\w-]{20,}",
    r"npm_\w{36}",
    r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
)
LOOKS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)(?:[\w+/=\s:,.-]|\\[nrt]))*"
    r"(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?"
    r"|(?<=://)[^\s/:@\"'\\,]*:[^\s/@\"'\\,]+(?=@)"
    r"|(?i:(?<=bearer ))[\w.~+/-]{16,}=*"
    rf"|(?:(?<![\w-])|(?<=\\[nrt])|(?<=\\u[\da-f]{{4}}))(?:{'|'.join(PREFIXES)})"
)
HINTS = (
    *("-----BEGIN", "://", "earer ", "EARER ", "sk-", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("xox", "AKIA", "ASIA", "ntn_", "gsk_", "xai-", "glpat-", "npm_", "eyJ"),
)


class Redactor:
    """Masks secrets in text. ``hold`` a value as soon as it is known."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.held: set[str] = set()
        self.shapes: list[str] = []
        self.written: tuple[str, ...] = HINTS
        for secret in secrets:
            self.hold(secret)

    def hold(self, secret: str) -> None:
        """Mask this value from now on, in all its encodings, if it is worth it."""
        if secret in self.held or not worth_holding(secret):
            return
        self.held.add(secret)
        self.shapes = sorted({*self.shapes, *encodings(secret)}, key=len, reverse=True)
        self.written = (*HINTS, *{json.dumps(shape)[1:-1] for shape in self.shapes})

    def names(self, environment: Mapping[str, str]) -> frozenset[str]:
        """The variables whose value holds a secret that is known, in whatever form."""
        return frozenset(name for name, value in environment.items() if len(value) >= SHORTEST and self(value) != value)

    def passes(self, line: str) -> bool:
        """Whether no text that is written in this line of ASCII JSON holds anything to mask."""
        for mark in self.written:  # noqa: SIM110 - of every line, and a generator takes three times as long
            if mark in line:
                return False
        return True

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if len(text) < SHORTEST:
            return text
        for shape in self.shapes:
            text = text.replace(shape, MASK)
        return LOOKS.sub(MASK, text) if any(hint in text for hint in HINTS) else text


def worth_holding(secret: str) -> bool:
    """Whether it can be told from prose: what is short, or an ordinary word, would be masked all over."""
    return len(secret) >= SHORTEST and not ORDINARY.fullmatch(secret)


def masked(value: Any, redact: Callable[[str], str]) -> Any:
    """Plain JSON values with every text in them redacted: what is written of them is JSON still, and can be read."""
    if isinstance(value, str):
        return value if value in structure() else redact(value)
    if isinstance(value, Mapping):
        return {masked(key, redact): masked(item, redact) for key, item in value.items()}
    return [masked(item, redact) for item in value] if isinstance(value, (list, tuple)) else value


@cache
def structure() -> frozenset[str]:
    """The words that records choose from, and by which they are read again: no secret, whatever else they are."""
    import openkoi_hookspecs

    from .codec import TAGGED

    kinds = [kind for kind in vars(openkoi_hookspecs).values() if isinstance(kind, type) and issubclass(kind, Enum)]
    return frozenset([kind.__name__ for kind in TAGGED] + [str(word) for kind in kinds for word in kind])


def encodings(secret: str) -> Iterator[str]:
    """A secret as it may turn up: bare, in JSON (in JSON), in a URL, in base64 at each of three alignments, in hex."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    yield from in_json(secret)
    yield from (quote(raw, safe=""), quote(raw), quote_plus(raw))
    yield from (raw.hex(), raw.hex().upper())
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        core = whole[(0, 2, 3)[shift] : len(whole) - (0 if (shift + len(raw)) % 3 == 0 else 1)]
        yield from (core, core.replace("+", "-").replace("/", "_"))


def in_json(secret: str) -> Iterator[str]:
    """Within a JSON text, and within one that is itself a text in JSON."""
    for ascii in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=ascii)[1:-1])


def environment_secrets(environment: Mapping[str, str]) -> list[str]:
    """Values of variables that are named like secrets and long enough to be ones."""
    return [value for name, value in environment.items() if NAMES.search(name) and len(value) >= 8]
