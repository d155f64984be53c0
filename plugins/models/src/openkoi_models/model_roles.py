"""Which models play which part. Knows names, model facts and the configuration; calls nobody.

A role (executor, evaluator, planner, small) is played by the model configured for it, else by the default one, else by
the executor's; that one is found here where none is configured. The models of a role's fallback chain stand in for it.
A model is ``provider/name``, a short name of the bundle's, or a name that one configured provider knows. Its facts
(context, output, price) come from the configuration, else from its provider, and what neither says from the bundle.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from openkoi_base.isolation import contain_exit
from openkoi_hookspecs import (
    Agent,
    ConfigError,
    KoiError,
    Model,
    NoProviderError,
    PluginError,
    Price,
    Provider,
    RequestRejectedError,
    SupportsDescribe,
    WrongServerError,
)
from openkoi_settings import Config, keys

from .catalogue import CONTEXT, OUTPUT, Catalogue
from .estimate import Estimator
from .model_discovery import ModelChoice
from .model_settings import model_from_settings, read_price, sanitize_price, with_catalogue
from .retry import Cooldowns

EXECUTOR = "executor"
ROLES = keys.ROLES
LISTING_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model and who offers it. ``name`` is ``provider/model``; ``known`` tells whether its price is."""

    name: str
    provider: Provider
    model: Model
    price: Price
    known: bool


@dataclass(slots=True)
class ModelRouter:
    """Who plays what, looked up once each, and how they have done so far."""

    config: Config
    catalogue: Catalogue
    load: Callable[[str], Awaitable[Provider]]
    find: Callable[[], Awaitable[ModelChoice]]
    found: ModelChoice | None = None
    players: dict[str, ResolvedModel] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)
    cooling: Cooldowns = field(default_factory=Cooldowns)
    estimator: Estimator = field(default_factory=Estimator)

    async def choice(self, role: str, executor: str = EXECUTOR) -> ModelChoice:
        """The model of a role, or of a name that is one already, and where it was found.

        A role that nothing is configured for is played by the executor's model: another one may be another vendor's.
        """
        if named := self.configured(role):
            return ModelChoice(await self.full(named))
        if role != EXECUTOR:
            return await self.choice(executor)
        try:
            self.found = self.found or await self.find()
        except NoProviderError:
            if not (standing_in := await self.fallbacks(role)):
                raise
            return ModelChoice(standing_in[0])
        return self.found

    async def chain(self, role: str, executor: str = EXECUTOR) -> Sequence[str]:
        """The models to ask for a role, one after the other, each once."""
        first = (await self.choice(role, executor)).name
        return [name for name in dict.fromkeys((first, *await self.fallbacks(role))) if name not in self.excluded]

    def configured(self, role: str) -> str:
        """The model that the configuration names for a role, as it names it; empty when it names none."""
        named = self.config[keys.MODEL_OF[role]] if role in ROLES else role
        return named or self.config[keys.DEFAULT_MODEL]

    async def fallbacks(self, role: str) -> list[str]:
        """The models that stand in for a role's own when it does not answer."""
        named = self.config[keys.FALLBACKS[role]] if role in ROLES else ()
        return [await self.full(name) for name in named]

    async def full(self, name: str) -> str:
        """``provider/model`` for a name; raises ConfigError for one that names no model, or several."""
        if "/" in name:
            return name
        if long_name := self.catalogue.long_name(name):
            return long_name
        known = self.catalogue.full_names(name)
        usable = [one for one in known if await self.usable(one.partition("/")[0])]
        if len(usable) == 1:
            return usable[0]
        raise ConfigError(unclear(name, usable, known or get_close_matches(name, self.catalogue.short_names, n=1)))

    async def usable(self, provider: str) -> bool:
        """Whether a provider is installed and has what it needs, such as a key."""
        try:
            await self.load(provider)
        except KoiError:
            return False
        return True

    def configured_roles(self) -> list[str]:
        """The executor, and whoever else the configuration names: those are looked at before anything begins."""
        return [EXECUTOR, *(role for role in ("evaluator", "planner") if keys.MODEL_OF[role] in self.config)]

    async def resolved(self, name: str) -> ResolvedModel:
        """Who plays under a full name."""
        if name not in self.players:
            self.players[name] = await self.resolve(name)
        return self.players[name]

    async def resolve(self, name: str) -> ResolvedModel:
        vendor, _, bare = name.partition("/")
        provider = await self.load(vendor)
        known = self.catalogue.facts(vendor, bare)
        try:
            model = model_from_settings(name, self.config, known) or with_catalogue(
                sanitize_price(await ask_provider(provider, bare, known)), known
            )
        except KoiError:
            raise
        except Exception as error:  # a provider is a plugin: what it may raise is not known
            raise PluginError(vendor, "describe", f"{type(error).__name__}: {error}") from error
        return ResolvedModel(name, provider, model, model.price or self.ceiling, model.price is not None)

    @property
    def ceiling(self) -> Price:
        """What an unknown price is counted at: it is not free."""
        return read_price(keys.UNKNOWN_PRICE, self.config)


def unclear(name: str, usable: Sequence[str], near: Sequence[str]) -> str:
    """Say why a short name does not do, and what would."""
    if usable:
        return f"Several configured providers have a model {name!r}. Write one of: {', '.join(usable)}."
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"No configured provider has a model {name!r}.{hint} Write it as provider/model, such as openai/gpt-5.2."


async def ask_provider(provider: Provider, bare: str, known: Model | None) -> Model:
    """What the provider says of a model; what is known where it says nothing, else a modest guess."""
    if isinstance(provider, SupportsDescribe):
        try:
            with contain_exit():
                return await provider.describe(bare)
        except WrongServerError:
            raise
        except (
            RequestRejectedError
        ) as error:  # a server that tells nothing of single models may have this one all the same
            if known is None:
                raise RequestRejectedError(f"{error}{await suggestion(provider, bare)}") from error
    if known is not None:
        return replace(known, name=bare)
    try:
        async with asyncio.timeout(LISTING_TIMEOUT):
            with contain_exit():
                offered = await provider.models()
    except WrongServerError:
        raise
    except Exception:  # a provider is a plugin: without its list of models, a modest guess will do
        offered = ()
    listed = [model for model in offered if model.name == bare]
    return listed[0] if listed else Model(bare, context=CONTEXT, output=OUTPUT)


def executor_of(agent: Agent | None) -> str:
    """The role, or the model, that does an agent's work; empty where a worker does it alone.

    Where all members of a team have models of their own, it is the first one's: they need no other.
    """
    if agent is None:
        return EXECUTOR
    if agent.model or agent.team is None:
        return agent.model or ("" if agent.worker else EXECUTOR)
    members = [executor_of(member) for member in agent.team.members]
    return members[0] if members and all(member not in ("", EXECUTOR) for member in members) else EXECUTOR


async def suggestion(provider: Provider, bare: str) -> str:
    """Names near to one that was refused."""
    try:
        async with asyncio.timeout(LISTING_TIMEOUT):
            with contain_exit():
                names = [model.name for model in await provider.models()]
    except Exception:  # a provider is a plugin: its refusal stands without suggestions
        return ""
    if bare in names:
        return ""
    near = get_close_matches(bare, names, n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
