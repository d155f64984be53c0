"""Ask the user to allow a plugin with its current content, once per run. The kernel keeps the answer."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from openkoi_hookspecs import Koi, Question, Run, is_yes

HOOK_SECONDS = 25.0  # that a hook may wait for an answer: it is cut off after 30 s by default
# Hooks at which the user is not asked: they are about what has happened, and a question would be an event itself.
UNASKED_HOOKS = frozenset({"on_event", "before_learn", "on_learning"})
SHOWN_ID_LENGTH = 8  # as `openkoi trust` shows them
CHANGED = "has changed since you approved it"
MAX_RUNS = 256  # that are remembered to have been asked


class Consent:
    """The user's consent to content, whose digest changes with it. ``unanswered`` makes a warning."""

    def __init__(self, question: Question, unanswered: Callable[[], str], koi: Koi) -> None:
        self.question, self.unanswered, self.koi = question, unanswered, koi
        self.asking = asyncio.Lock()
        self.asked: OrderedDict[str, None] = OrderedDict()

    @property
    def is_given(self) -> bool:
        """Whether the user has given consent."""
        return is_yes(self.koi.consent(self.question.digest))

    async def ask(self, run: Run, *, seconds: float | None = None) -> bool:
        """Return whether the user answers yes in time; without an answer, warn, and ask again in the next run."""
        async with self.asking:
            if self.koi.consent(self.question.digest) is None and run.outermost not in self.asked:
                self.remember(run.outermost)
                answer = None
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        answer = await run.ask(self.question)
                if answer is None:
                    self.koi.warn(self.unanswered())
        return self.is_given

    def remember(self, run: str) -> None:
        """Record that the question was asked in a run."""
        self.asked[run] = None
        if len(self.asked) > MAX_RUNS:
            self.asked.popitem(last=False)


def explain_missing(koi: Koi, subject: str) -> str:
    """Return why something may not be used, as a clause; ``subject`` is the start of the questions about it."""
    earlier = any(one.text.startswith(subject) and is_yes(one.answer) for one in koi.consents())
    return CHANGED if earlier else "is not approved"


def revoke_command(koi: Koi, digest: str) -> str:
    """Return the command that revokes a kept answer."""
    kept = [one.id for one in koi.consents() if one.digest == digest]
    return f"openkoi trust revoke {kept[0][:SHOWN_ID_LENGTH]}" if kept else "openkoi trust"
