"""Resolve the models of roles.

A role (executor, evaluator, planner, small) uses its configured model, else the default one, else the executor's;
without any, one is discovered. The models of a role's fallback chain replace it when it fails.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field, replace
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
from openkoi_hookspecs.lazy_dataclass import dataclass
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
    """A model and its provider. ``name`` is ``provider/model``; ``known``: its price is known."""

    name: str
    provider: Provider
    model: Model
    price: Price
    known: bool


@dataclass(slots=True)
class ModelRouter:
    """The models of all roles, resolved once each, and their recent failures."""

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
        """Return the model of a role, or of a model's name, and where it was found.

        A role without configuration uses the executor's model: another one may be another vendor's.
        """
        if named := self.configured_model(role):
            return ModelChoice(await self.full_name(named))
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
        """Return the models to call for a role, in order, each once."""
        first = (await self.choice(role, executor)).name
        return [name for name in dict.fromkeys((first, *await self.fallbacks(role))) if name not in self.excluded]

    def configured_model(self, role: str) -> str:
        """Return the model that the configuration names for a role; empty if it names none."""
        named = self.config[keys.MODEL_OF[role]] if role in ROLES else role
        return named or self.config[keys.DEFAULT_MODEL]

    async def fallbacks(self, role: str) -> list[str]:
        """Return the models that replace a role's own if it fails."""
        named = self.config[keys.FALLBACKS[role]] if role in ROLES else ()
        return [await self.full_name(name) for name in named]

    async def full_name(self, name: str) -> str:
        """Return ``provider/model`` for a name; raise ConfigError for an unknown or ambiguous one."""
        if "/" in name:
            return name
        if long_name := self.catalogue.long_name(name):
            return long_name
        known = self.catalogue.full_names(name)
        usable = [one for one in known if await self.is_usable(one.partition("/")[0])]
        if len(usable) == 1:
            return usable[0]
        raise ConfigError(
            explain_unclear(name, usable, known or get_close_matches(name, self.catalogue.short_names, n=1))
        )

    async def is_usable(self, provider: str) -> bool:
        """Return whether a provider is installed and has what it needs, such as a key."""
        try:
            await self.load(provider)
        except KoiError:
            return False
        return True

    def configured_roles(self) -> list[str]:
        """Return the executor and all other configured roles: their models are checked before a run."""
        return [EXECUTOR, *(role for role in ("evaluator", "planner") if keys.MODEL_OF[role] in self.config)]

    async def resolve_model(self, name: str) -> ResolvedModel:
        """Return the model of a full name."""
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

    def listed_price(self, name: str) -> Price | None:
        """Return the price of a full name as it is configured or in a bundle; its provider is not asked."""
        vendor, _, bare = name.partition("/")
        known = self.catalogue.facts(vendor, bare)
        model = model_from_settings(name, self.config, known) or known
        return model.price if model else None

    @property
    def ceiling(self) -> Price:
        """The assumed price of a model without a known price: it is not free."""
        return read_price(keys.UNKNOWN_PRICE, self.config)


def explain_unclear(name: str, usable: Sequence[str], near: Sequence[str]) -> str:
    """Explain why a short name is not usable, with a suggestion."""
    if usable:
        return f"Several configured providers have a model {name!r}. Write one of: {', '.join(usable)}."
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"No configured provider has a model {name!r}.{hint} Write it as provider/model, such as openai/gpt-5.2."


async def ask_provider(provider: Provider, bare: str, known: Model | None) -> Model:
    """Return the provider's facts about a model; else the known ones, else a low guess."""
    if isinstance(provider, SupportsDescribe):
        try:
            with contain_exit():
                return await provider.describe(bare)
        except WrongServerError:
            raise
        except RequestRejectedError as error:  # a server without details of single models may still have this one
            if known is None:
                raise RequestRejectedError(f"{error}{await suggest_models(provider, bare)}") from error
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
    """Return the role, or the model, that does an agent's work; empty if a worker does it alone.

    If all members of a team have models of their own, it is the first one's.
    """
    if agent is None:
        return EXECUTOR
    if agent.model or agent.team is None:
        return agent.model or ("" if agent.worker else EXECUTOR)
    members = [executor_of(member) for member in agent.team.members]
    return members[0] if members and all(member not in ("", EXECUTOR) for member in members) else EXECUTOR


async def suggest_models(provider: Provider, bare: str) -> str:
    """Suggest names similar to an unknown one."""
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
