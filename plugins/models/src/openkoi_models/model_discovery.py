"""Find a model where none is configured. Knows what plugins found and what a person allowed; knows no vendor."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from openkoi_files import Answers
from openkoi_hookspecs import DiscoveredProvider, NoProviderError, Question

YES = ("y", "yes")
NO = ("n", "no")
NOTHING = (
    "No model is configured, and none was found here. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, run "
    "openkoi init, or name a model with -m PROVIDER/MODEL, OPENKOI_MODEL or [models] default. "
    "To see OpenKoi at work without one: openkoi demo"
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
    answers: Answers

    async def find(self) -> ModelChoice:
        """The first way there is that may be used; raises NoProviderError when there is none."""
        for found in await self.look():
            if found.model and await self.allowed(found):
                self.lend(found)
                return ModelChoice(f"{found.provider}/{found.model}", found.origin)
        raise NoProviderError(NOTHING)

    async def key_for(self, provider: str) -> bool:
        """Look for a key of this provider where none was set; tell whether there is one now."""
        for found in await self.look():
            if found.provider == provider and found.key and await self.allowed(found):
                self.lend(found)
                return True
        return False

    async def allowed(self, found: DiscoveredProvider) -> bool:
        """Whether it may be used: a person is asked once where consent is needed; with nobody there it is not given."""
        if not found.consent:
            return True
        digest = sha256(f"{found.provider} {found.origin} {found.consent}".encode()).hexdigest()
        answer = self.answers.get(digest)
        if answer is None:
            answer = await self.ask(Question(found.consent, choices=("yes", "no"), digest=digest))
            word = (answer or "").strip().lower()
            if word not in (*YES, *NO):
                return False
            self.answers.keep(digest, word)
            return word in YES
        return answer.strip().lower() in YES
