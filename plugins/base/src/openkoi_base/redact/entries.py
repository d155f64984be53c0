"""Match the start of an entry that names its value: ``{"name": "token", "value": "..."}``, or a key at a line's end."""

from openkoi_hookspecs.lazy_pattern import lazy_pattern

ENTRY = lazy_pattern(
    r"(?i:\b(?:name|key|variable|property|setting|parameter))\\{0,3}[\"']?[ \t]*[:=]?[ \t]*\\{0,3}[\"']?$"
)
OPENED = lazy_pattern(r"[\"']?[ \t]{0,4}:[ \t]{0,4}(?:[>|][+-]?)?\s*$")  # its value stands in the next line
NEAR = 40  # characters before a name that may say what it is
