"""Make a preference of what the user asks OpenKoi to remember, in the chat or on the command line."""

from secrets import token_hex

from openkoi_hookspecs import LearningStatus
from openkoi_hookspecs.memory import Learning

MAX_CHARACTERS = 200  # of a learning, as the contract says


def make_preference(text: str, scope: str) -> Learning:
    """Return the user's own words as a preference, for all projects (``user``) or one (``project``)."""
    line = " ".join(text.split())[:MAX_CHARACTERS]
    id = f"user-{token_hex(4)}"
    return Learning(id, "preference", line, scope=scope, origin="user", status=LearningStatus.ACTIVE)
