"""Create a preference from a text that the user asks OpenKoi to remember, in the chat or on the command line."""

from secrets import token_hex

from openkoi_hookspecs import KoiError, LearningStatus
from openkoi_hookspecs.memory import Learning

MAX_CHARACTERS = 200  # of a learning, as the contract says
TOO_LONG = "A preference can have at most {:,} characters; this one has {:,}. Shorten it or split it into several."


def make_preference(text: str, scope: str) -> Learning:
    """Return the user's own words as a preference, for all projects (``user``) or one (``project``).

    Raise KoiError if they are too long: the end, which may be an exception, is not cut off.
    """
    line = " ".join(text.split())
    if len(line) > MAX_CHARACTERS:
        raise KoiError(TOO_LONG.format(MAX_CHARACTERS, len(line)))
    id = f"user-{token_hex(4)}"
    return Learning(id, "preference", line, scope=scope, origin="user", status=LearningStatus.ACTIVE)
