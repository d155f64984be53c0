"""What the user is asked."""

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """Something a person has to answer. The answer is kept for as long as the ``digest`` stays the same."""

    text: str
    _: KW_ONLY
    choices: tuple[str, ...] = ()
    secret: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question without an answer. ``at`` is UTC in ISO 8601.

    ``run`` is the run that asks, ``outermost`` the task's run that it is a part of, ``session`` that of its log; all
    are empty when a program asks outside runs. ``alive`` says that an answer is heard at once, because the run is under
    way in this process or another one; an answer to any other question is heard when its run is resumed.
    """

    id: str
    run: str
    at: str
    question: Question
    _: KW_ONLY
    outermost: str = ""
    session: str = ""
    alive: bool = False
