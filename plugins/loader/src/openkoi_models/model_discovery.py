"""Find a model if none is configured, from what plugins find and the user allows."""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256

from openkoi_hookspecs import YES_OR_NO, ConsentMissingError, DiscoveredProvider, NoModelError, Question, is_yes
from openkoi_hookspecs.lazy_dataclass import dataclass

NO_MODEL = (
    "No model is configured, and none was found here. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, run "
    "`openkoi init`, or name a model as PROVIDER/MODEL: for one task with -m, or for all with OPENKOI_MODEL. "
    "To see OpenKoi at work without a model, run `openkoi demo`."
)


UNANSWERED = (
    "{question} No answer, because no terminal is attached. Run openkoi in a terminal, answer with "
    "`openkoi approve` while the task waits (`wait_seconds` under [approvals]), or set OPENKOI_MODEL."
)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, and where it was found; empty if it was configured."""

    name: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The search for a model. ``look`` queries the plugins, ``lend`` passes a key to the provider's constructor."""

    look: Callable[[], Awaitable[Sequence[DiscoveredProvider]]]
    ask: Callable[[Question], Awaitable[str | None]]
    lend: Callable[[DiscoveredProvider], None]

    async def find(self) -> ModelChoice:
        """Return the first model that may be used.

        Raise NoModelError without one, ConsentMissingError if the user did not answer.
        """
        unanswered = ""
        for found in await self.look():
            allowed = await self.is_allowed(found) if found.model else False
            if allowed:
                self.lend(found)
                return ModelChoice(f"{found.provider}/{found.model}", found.origin)
            unanswered = unanswered or (found.consent if allowed is None else "")
        raise ConsentMissingError(UNANSWERED.format(question=unanswered)) if unanswered else NoModelError(NO_MODEL)

    async def key_for(self, provider: str) -> bool:
        """Look for a key of this provider if none is set; return whether there is one now."""
        for found in await self.look():
            if found.provider == provider and found.key and await self.is_allowed(found):
                self.lend(found)
                return True
        return False

    async def is_allowed(self, found: DiscoveredProvider) -> bool | None:
        """Return whether a found model may be used; ask the user once if consent is needed. None if unanswered."""
        if not found.consent:
            return True
        digest = sha256(f"{found.provider} {found.origin} {found.consent}".encode()).hexdigest()
        answer = await self.ask(Question(found.consent, choices=YES_OR_NO, keep=True, digest=digest))
        return None if answer is None else is_yes(answer)
