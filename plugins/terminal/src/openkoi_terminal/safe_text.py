"""Remove or show a terminal's control characters and escape sequences, so that untrusted text is harmless.

Escape sequences can set the clipboard (OSC 52), hide text, or answer as if the user had typed; bidirectional controls
and invisible characters can make a command look like another one.
"""

from openkoi_hookspecs.lazy_pattern import lazy_pattern

STRING_LIMIT = 256  # of an OSC or DCS string; a longer one may be an answer whose terminator never comes
SEQUENCE = lazy_pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,256}(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-Z\\^-~]"  # others, but for those that the lines above begin with
    r"|\x1b"
)
UNFINISHED = lazy_pattern(
    r"(?:\r|(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,256}\x1b?|\x1b[ -/]*)\Z"
)
BREAKS = lazy_pattern("\r\n|[\r\v\f\x85\u2028\u2029]")
CONTROLS = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # C0 without tab and line breaks, DEL, C1
HIDDEN_RANGES = (
    *((0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x9F)),  # C0 without tab and line breaks, DEL, C1
    *((0xAD, 0xAD), (0x61C, 0x61C), (0x115F, 0x1160), (0x180E, 0x180E), (0x200B, 0x200C), (0x200E, 0x200F)),
    *((0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x206F), (0x3164, 0x3164), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0)),
    *((0xFFF9, 0xFFFB), (0xD800, 0xDFFF), (0xE0000, 0xE007F)),  # annotations, lone surrogates, tags
)
HIDDEN_CLASS = "".join(f"{chr(first)}-{chr(last)}" for first, last in HIDDEN_RANGES)
HIDDEN = lazy_pattern(f"[{HIDDEN_CLASS}]")
BLANK_CLASS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"  # no separator of words for a shell
IGNORED_CLASS = "\u034f\u17b4\u17b5\u180b-\u180f\u2065\ufe00-\ufe0f\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
SHOWN = lazy_pattern(f"[{HIDDEN_CLASS}{BLANK_CLASS}{IGNORED_CLASS}\r\v\f\x85\u2028\u2029\u200d]")
NAMES = {"\x1b": "ESC", "\x07": "BEL", "\r": "CR", "\x08": "BS", "\0": "NUL", "\x7f": "DEL"}


def strip_controls(text: str) -> str:
    """Return the text without escape sequences, control characters and invisible ones; line breaks become ``\\n``."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub("", BREAKS.sub("\n", SEQUENCE.sub("", text)))


def strip_escapes(text: str) -> str:
    """Return the text without escape sequences and control characters, for files and pipes that a terminal may show.

    Characters that are merely invisible are kept: some languages need them.
    """
    if text.isascii() and text.isprintable():
        return text
    return CONTROLS.sub("", BREAKS.sub("\n", SEQUENCE.sub("", text)))


def show_hidden(text: str) -> str:
    """Replace control and invisible characters with names such as ``<ESC>`` and ``<U+202E>``, for approvals."""
    return SHOWN.sub(lambda match: f"<{NAMES.get(match[0], f'U+{ord(match[0]):04X}')}>", text)


class IncompleteEscapes:
    """Strips streamed text, in which an escape sequence may be split."""

    def __init__(self) -> None:
        self.held = ""

    def strip(self, chunk: str) -> str:
        """Return the complete part of the text so far; hold back an incomplete sequence."""
        text, self.held = self.held + chunk, ""
        if not (text.isascii() and text.isprintable()) and (begun := UNFINISHED.search(text)):
            self.held = begun[0] if len(begun[0]) <= STRING_LIMIT else ""
            text = text[: begun.start()] if self.held else text
        return strip_controls(text)

    def finish(self) -> str:
        """Return the held-back text, stripped."""
        text, self.held = self.held, ""
        return strip_controls(text)
