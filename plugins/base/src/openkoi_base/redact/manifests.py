"""Find the values in Kubernetes secret manifests: each value is a secret. Keys and comments stay."""

import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

KIND = "kubernetes-secret"
MANIFEST = lazy_pattern(r"kind: ?[\"']?secret\b", re.IGNORECASE)
PARTS = lazy_pattern(  # where a manifest begins, or text that is none
    r"^(?:---|#?[ \t]*[\"'`]{3}|[ \t-]*kind:.*\n[ \t]*apiVersion:"
    r"|[ \t-]*apiVersion:.*\n[ \t]*(?:kind|(?:string)?data|metadata):)",
    re.M | re.I,
)
BLOCK = lazy_pattern(
    r"^(?P<indent>[ \t]*)(?:string)?data:[ \t]*\n(?P<lines>(?:(?P=indent)[ \t]+.*(?:\n|\Z)|[ \t]*\n)+)", re.M | re.I
)
VALUE = lazy_pattern(  # under a key, or a line of base64 of its own; no template, variable or start of a longer text
    r"^[ \t]+(?:[\w.\"'/-]+:[ \t]+[\"']?(?![{<$>|&*!#])(?P<value>[^\s\"'{}][^\n\"'{}#]{2,}?)"
    r"|(?P<line>[\w+/]{20,}={0,2}))"
    r"[\"']?[ \t]*(?:#.*)?$",
    re.M,
)


def manifest_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the positions of the values in manifests of secrets."""
    if not MANIFEST.search(text):
        return
    for start, end in split_manifests(text):
        for block in BLOCK.finditer(text, start, end) if MANIFEST.search(text, start, end) else ():
            for found in VALUE.finditer(text, *block.span("lines")):
                yield (*found.span("value" if found["value"] else "line"), KIND)


def split_manifests(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each document of a text."""
    start = 0
    for part in PARTS.finditer(text):
        yield start, part.start()
        start = part.start()
    yield start, len(text)
