"""The funnel that secrets do not pass. Knows values we hold and the looks of others; knows no log, terminal or run.

Exact values in every encoding come first: they are the only certain rule. Patterns catch strangers' keys.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

MASK = "[redacted]"
SHORTEST = 6
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
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\w+/=\s:,.-]|\\[nrt])*"
    r"|(?<=://)[^\s/:@\"'\\,]+:[^\s/@\"'\\,]+(?=@)"
    r"|(?i:(?<=bearer ))[\w.~+/-]{16,}=*"
    rf"|(?<![\w-])(?:{'|'.join(PREFIXES)})"
)
HINTS = re.compile(
    "(?i)-----BEGIN|://|bearer |sk-|AIza|gh[pousr]_|github_pat_|xox|AKIA|ASIA|ntn_|gsk_|xai-|glpat-|npm_|eyJ"
)


class Redactor:
    """Masks secrets in text. ``hold`` a value as soon as it is known."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.held: set[str] = set()
        self.exact: re.Pattern[str] | None = None
        for secret in secrets:
            self.hold(secret)

    def hold(self, secret: str) -> None:
        """Mask this value from now on, in all its encodings."""
        if len(secret) < SHORTEST or secret in self.held:
            return
        self.held.add(secret)
        shapes = sorted({shape for held in self.held for shape in encodings(held)}, key=len, reverse=True)
        self.exact = re.compile("|".join(map(re.escape, shapes)))

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if self.exact is not None:
            text = self.exact.sub(MASK, text)
        return LOOKS.sub(MASK, text) if HINTS.search(text) else text


def encodings(secret: str) -> Iterator[str]:
    """A secret as it may turn up: bare, in JSON, in a URL, in base64 at each of three alignments, in hexadecimal."""
    raw = secret.encode()
    yield secret
    yield json.dumps(secret)[1:-1]
    yield quote(secret, safe="")
    yield raw.hex()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        yield whole[(0, 2, 3)[shift] : len(whole) - (0 if (shift + len(raw)) % 3 == 0 else 1)]


def environment_secrets(environment: Mapping[str, str]) -> list[str]:
    """Values of variables that are named like secrets and long enough to be ones."""
    return [value for name, value in environment.items() if NAMES.search(name) and len(value) >= 8]
