"""How an entry begins that names its value: ``{"name": "token", "value": "..."}``, or a key at the end of a line."""

import re

ENTRY = re.compile(
    r"(?i:\b(?:name|key|variable|property|setting|parameter))\\{0,3}[\"']?[ \t]*[:=]?[ \t]*\\{0,3}[\"']?$"
)
OPENED = re.compile(r"[\"']?[ \t]{0,4}:[ \t]{0,4}(?:[>|][+-]?)?\s*$")  # its value stands in the next line
NEAR = 40  # characters before a name that may say what it is
