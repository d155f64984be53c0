"""Find secrets in a text: ours in all their encodings, and what has the looks of a key. Knows no format.

Unlike the sentences of failures, what is masked here is played back: what only might be a key is left as it is.
"""

import base64
import json
import re
from binascii import Error
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
SHORTEST = 6
ORDINARY = re.compile(r"[a-z_-]{1,15}")
KEYS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)(?:[\w+/=\s:,.-]|\\[nrt]))*"
    r"(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?"
    r"|(?<=://)[^\s/:@\"'\\,]*:[^\s/@\"'\\,]+(?=@)"
    r"|(?i:(?<=bearer )|(?<=bearer%20))[\w.~+/-]{16,}=*"
    r"|(?<![A-Za-z0-9-])(?:"
    r"sk-[\w-]{20,}|AIza[\w-]{35}|gh[pousr]_\w{36,}|github_pat_\w{22,}|xox[abposr]-[\w-]{10,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|ntn_\w{20,}|gsk_\w{20,}|xai-\w{20,}|glpat-[\w-]{20,}|npm_\w{36}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})",
    re.ASCII,
)
HINTS = (
    *("-----BEGIN", "://", "earer", "EARER", "sk-", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("xox", "AKIA", "ASIA", "ntn_", "gsk_", "xai-", "glpat-", "npm_", "eyJ"),
)
WRAPPED = re.compile(r"[\w+/-]{28,}={0,2}", re.ASCII)
SECRET_FIELD = re.compile(r"(?i)([?&][^=&]*(?:key|token|secret|auth|signature|password)[^=&]*=)[^&]+")

Span = tuple[int, int]


class Mask:
    """Masks secrets. Ordinary words are not held: they would be masked all over."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        held = [secret for secret in secrets if len(secret) >= SHORTEST and not ORDINARY.fullmatch(secret)]
        shapes = {shape for secret in held for shape in encodings(secret)}
        longest_first = sorted(shapes, key=len, reverse=True)
        self._ours = re.compile("|".join(map(re.escape, longest_first))) if shapes else None

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for start, end in reversed(self.spans(text)):
            text = f"{text[:start]}{MASK}{text[end:]}"
        return text

    def address(self, path: str) -> str:
        """The path and query of a request without secrets, the values of fields that are named like one included."""
        return SECRET_FIELD.sub(rf"\1{MASK}", self(path))

    def spans(self, text: str) -> list[Span]:
        """Where secrets are, in order and apart from each other."""
        ours = self._ours.finditer(text) if self._ours else ()
        wrapped = (match for match in WRAPPED.finditer(text) if wraps_a_key(match[0]))
        return apart(match.span() for match in (*ours, *keys(text), *wrapped))


def keys(text: str) -> Iterator[re.Match[str]]:
    """List what has the looks of a key; most texts need no closer look."""
    return KEYS.finditer(text) if any(hint in text for hint in HINTS) else iter(())


def apart(spans: Iterable[Span]) -> list[Span]:
    """Join the spans that overlap."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def wraps_a_key(token: str) -> bool:
    """Whether something that could be base64 is a key in it."""
    sound = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        inside = base64.b64decode(sound[: len(sound) - (len(sound) % 4 == 1)] + "==")
    except Error:
        return False
    return any(keys(inside.decode("latin-1")))


def encodings(secret: str) -> Iterator[str]:
    """A secret as it may turn up: bare, as bytes, in JSON (in JSON), in an address, in hex and in base64."""
    raw = secret.encode("utf-8", "replace")
    yield from (secret, raw.decode("latin-1"))
    for ascii in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=ascii)[1:-1])
    yield from (quote(raw, safe=""), quote(raw), quote_plus(raw), raw.hex(), raw.hex().upper())
    yield from in_base64(raw)


def in_base64(raw: bytes) -> Sequence[str]:
    """The characters of base64 that are the secret's alone, whatever stands before and after it."""
    found = []
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        alone = whole[(0, 2, 3)[shift] : len(whole) - ((shift + len(raw)) % 3 != 0)]
        found += [alone, alone.replace("+", "-").replace("/", "_")]
    return found
