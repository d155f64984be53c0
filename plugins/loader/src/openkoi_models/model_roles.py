"""Resolve the models of roles.

A role (executor, evaluator, planner, small) uses its configured model, else the default one, else the executor's;
if none is configured, one is discovered. If a model fails, those of its role's fallback chain replace it.
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

from .estimate import Estimator
from .model_discovery import ModelChoice
from .model_prices import CONTEXT, OUTPUT, Catalogue
from .model_settings import model_from_settings, read_price, sanitize_price, with_catalogue
from .retry_or_fallback import Cooldowns

EXECUTOR = "executor"
ROLES = keys.ROLES
LISTING_TIMEOUT = 5.0
LISTING_GRACE = 1.0  # seconds that the charge for the first call waits for the price, which was asked for beside it
Listing = asyncio.Task[Sequence[Model]]


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model and its provider. ``name`` is ``provider/model``; ``known``: its price is known.

    ``guessed``: its facts are a guess, until its provider has listed its models.
    """

    name: str
    provider: Provider
    model: Model
    price: Price
    known: bool
    guessed: bool = False


@dataclass(slots=True)
class ModelRouter:
    """The models of all roles, resolved once each, and their recent failures."""

    config: Config
    catalogue: Catalogue
    load: Callable[[str], Awaitable[Provider]]
    find: Callable[[], Awaitable[ModelChoice]]
    found: ModelChoice | None = None
    players: dict[str, ResolvedModel] = field(default_factory=dict)
    listings: dict[str, Listing] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)
    cooling: Cooldowns = field(default_factory=Cooldowns)
    estimator: Estimator = field(default_factory=Estimator)

    async def choice(self, role: str, executor: str = EXECUTOR) -> ModelChoice:
        """Return the model of a role, or of a model's name, and where it was found.

        A role without configuration uses the executor's model, so that no other vendor is called.
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
        """Return the model with a full name, without asking its provider for a list."""
        known = self.players.get(name)
        if known is None or (known.guessed and self.is_listed(name.partition("/")[0])):
            known = self.players[name] = await self.resolve(name)
        return known

    async def complete_model(self, name: str, seconds: float = LISTING_TIMEOUT) -> ResolvedModel:
        """Return the model with a full name and its facts from the provider's list, if that arrives in time."""
        known = await self.resolve_model(name)
        if known.guessed:
            await asyncio.wait([self.list_models(known)], timeout=seconds)
        return await self.resolve_model(name)

    async def resolve(self, name: str) -> ResolvedModel:
        vendor, _, bare = name.partition("/")
        provider = await self.load(vendor)
        known = self.catalogue.find_facts(vendor, bare)
        model = model_from_settings(name, self.config, known) or await described_model(provider, name, known)
        guessed = model is None and not self.is_listed(vendor)
        if model is None:
            offered = () if guessed else self.listings[vendor].result()
            model = sanitize_price(find_listed(bare, offered))
        return ResolvedModel(name, provider, model, model.price or self.ceiling, model.price is not None, guessed)

    def list_models(self, resolved: ResolvedModel) -> Listing:
        """Ask a model's provider for the list of its models, once and in the background."""
        vendor = resolved.name.partition("/")[0]
        if vendor not in self.listings or self.listings[vendor].cancelled():
            self.listings[vendor] = asyncio.ensure_future(list_models(resolved.provider))
        return self.listings[vendor]

    def is_listed(self, vendor: str) -> bool:
        """Return whether a provider was asked for its models, and answered or failed."""
        listing = self.listings.get(vendor)
        return listing is not None and listing.done() and not listing.cancelled()

    def listed_price(self, name: str) -> Price | None:
        """Return the price of a full name from the configuration or a bundle, without asking its provider."""
        vendor, _, bare = name.partition("/")
        known = self.catalogue.find_facts(vendor, bare)
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
    return (
        f"No configured provider has a model {name!r}.{hint} Write the name as provider/model, such as openai/gpt-5.2."
    )


async def described_model(provider: Provider, name: str, known: Model | None) -> Model | None:
    """Return the provider's facts about a model, else the known ones, else None: then its list is needed."""
    vendor, _, bare = name.partition("/")
    try:
        described = await describe_model(provider, bare, known)
    except KoiError:
        raise
    except Exception as error:  # a provider is a plugin: what it may raise is not known
        raise PluginError(vendor, "describe", f"{type(error).__name__}: {error}") from error
    return with_catalogue(sanitize_price(described), known) if described else None


async def describe_model(provider: Provider, bare: str, known: Model | None) -> Model | None:
    if isinstance(provider, SupportsDescribe):
        try:
            with contain_exit():
                return await provider.describe(bare)
        except WrongServerError:
            raise
        except RequestRejectedError as error:  # a server without details of single models may still have this one
            if known is None:
                raise RequestRejectedError(f"{error}{await suggest_models(provider, bare)}") from error
    return replace(known, name=bare) if known else None


async def list_models(provider: Provider) -> Sequence[Model]:
    """Return a provider's models; none if it fails: a call reports the error."""
    try:
        async with asyncio.timeout(LISTING_TIMEOUT):
            with contain_exit():
                return await provider.models()
    except Exception:  # a provider is a plugin: without its list of models, a modest guess will do
        return ()


def find_listed(bare: str, offered: Sequence[Model]) -> Model:
    """Return a model from a list, or one with conservative defaults."""
    return next((model for model in offered if model.name == bare), Model(bare, context=CONTEXT, output=OUTPUT))


def executor_of(agent: Agent | None) -> str:
    """Return the role or model that does an agent's work; empty if a worker does it without one.

    If all members of a team have their own models, it is the first one's.
    """
    if agent is None:
        return EXECUTOR
    if agent.model or agent.team is None:
        return agent.model or ("" if agent.worker else EXECUTOR)
    members = [executor_of(member) for member in agent.team.members]
    return members[0] if members and all(member not in ("", EXECUTOR) for member in members) else EXECUTOR


async def suggest_models(provider: Provider, bare: str) -> str:
    """Suggest names similar to an unknown one; if there are none, the provider's error is unchanged."""
    names = [model.name for model in await list_models(provider)]
    if bare in names:
        return ""
    near = get_close_matches(bare, names, n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
