"""Find a model where none is configured. Knows what plugins found and what a person allowed; knows no vendor."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from openkoi_hookspecs import ConsentMissingError, DiscoveredProvider, NoModelError, Question, is_yes

NOTHING = (
    "No model is configured, and none was found here. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, run "
    "openkoi init, or name a model with -m PROVIDER/MODEL, OPENKOI_MODEL or [models] default. "
    "To see OpenKoi at work without one: openkoi demo"
)


UNANSWERED = (
    "{question} This was not answered, because there is no terminal to ask. Run openkoi in one, answer it by "
    "`openkoi approve` while [approvals] wait_seconds last, or name a model with -m PROVIDER/MODEL."
)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, and where the way to it was found; nowhere when it was configured."""

    name: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Discovery:
    """What can be found here. ``look`` asks the plugins, ``lend`` hands a key to whoever builds the provider."""

    look: Callable[[], Awaitable[Sequence[DiscoveredProvider]]]
    ask: Callable[[Question], Awaitable[str | None]]
    lend: Callable[[DiscoveredProvider], None]

    async def find(self) -> ModelChoice:
        """The first way there is that may be used.

        Raises NoModelError when there is none, ConsentMissingError when the user was asked about one in vain.
        """
        unanswered = ""
        for found in await self.look():
            allowed = await self.is_allowed(found) if found.model else False
            if allowed:
                self.lend(found)
                return ModelChoice(f"{found.provider}/{found.model}", found.origin)
            unanswered = unanswered or (found.consent if allowed is None else "")
        raise ConsentMissingError(UNANSWERED.format(question=unanswered)) if unanswered else NoModelError(NOTHING)

    async def key_for(self, provider: str) -> bool:
        """Look for a key of this provider where none was set; tell whether there is one now."""
        for found in await self.look():
            if found.provider == provider and found.key and await self.is_allowed(found):
                self.lend(found)
                return True
        return False

    async def is_allowed(self, found: DiscoveredProvider) -> bool | None:
        """Whether it may be used. Where consent is needed the user is asked once; None without an answer."""
        if not found.consent:
            return True
        digest = sha256(f"{found.provider} {found.origin} {found.consent}".encode()).hexdigest()
        answer = await self.ask(Question(found.consent, choices=("yes", "no"), keep=True, digest=digest))
        return None if answer is None else is_yes(answer)
