"""Which models play which part. Knows names, model facts and the configuration; calls nobody.

A role (executor, evaluator, planner, small) is played by the model configured for it, else by the default one, else by
one that is found here; the models of its fallback chain stand in for it. A model is ``provider/name``, or a short name
of the bundle's. Its facts (context, output, price) come from the configuration, else from its provider, and what
neither says from the bundle.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from openkoi_hookspecs import Agent, BadSetting, Described, KoiError, Model, NoProvider, Price, Provider, Refused
from openkoi_models import (
    CONTEXT,
    OUTPUT,
    UNKNOWN_PRICE,
    Catalogue,
    Estimator,
    completed,
    honest,
    priced,
    told,
)

from .config import Config
from .discovery import Choice
from .fallback import Cooling

ROLES = ("executor", "evaluator", "planner", "embedder", "small")
PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Player:
    """A model and who offers it. ``name`` is ``provider/model``; ``known`` tells whether its price is."""

    name: str
    provider: Provider
    model: Model
    price: Price
    known: bool


@dataclass(slots=True)
class Cast:
    """Who plays what, looked up once each, and how they have done so far."""

    config: Config
    catalogue: Catalogue
    load: Callable[[str], Awaitable[Provider]]
    find: Callable[[], Awaitable[Choice]]
    found: Choice | None = None
    players: dict[str, Player] = field(default_factory=dict)
    unfit: set[str] = field(default_factory=set)
    cooling: Cooling = field(default_factory=Cooling)
    estimator: Estimator = field(default_factory=Estimator)

    async def choice(self, role: str) -> Choice:
        """The model of a role, or of a name that is one already, and where it was found."""
        if named := self.configured(role):
            return Choice(named)
        try:
            self.found = self.found or await self.find()
        except NoProvider:
            if not (standing_in := self.standing_in(role)):
                raise
            return Choice(standing_in[0])
        return self.found

    async def chain(self, role: str) -> Sequence[str]:
        """The models to ask for a role, one after the other, each once."""
        first = (await self.choice(role)).name
        return [name for name in dict.fromkeys((first, *self.standing_in(role))) if name not in self.unfit]

    def configured(self, role: str) -> str:
        """The model that the configuration names for a role; empty when it names none."""
        named = role if role not in ROLES else self.config.get(f"models.{role}", str, "")
        named = named or self.config.get("models.default", str, "")
        return self.full(named) if named else ""

    def standing_in(self, role: str) -> list[str]:
        """The models that stand in for a role's own when it does not answer."""
        return [self.full(name) for name in self.config.strings(f"models.fallback.{role}", ())]

    def full(self, name: str) -> str:
        """``provider/model`` for a name; raises BadSetting for one that says nothing."""
        if "/" in name:
            return name
        if long_name := self.catalogue.long_name(name):
            return long_name
        near = self.catalogue.full_names(name) or get_close_matches(name, self.catalogue.short_names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise BadSetting(
            f"{name!r} is no model that is known by a short name.{hint} "
            "Write it as provider/model, such as openai/gpt-5.2."
        )

    def configured_roles(self) -> list[str]:
        """The executor, and whoever else the configuration names: those are looked at before anything begins."""
        return ["executor", *(role for role in ("evaluator", "planner") if f"models.{role}" in self.config.settings)]

    async def player(self, name: str) -> Player:
        """Who plays under a full name."""
        if name not in self.players:
            self.players[name] = await self.enlist(name)
        return self.players[name]

    async def enlist(self, name: str) -> Player:
        vendor, _, bare = name.partition("/")
        provider = await self.load(vendor)
        known = self.catalogue.facts(vendor, bare)
        settings = self.config.table(f"models.known.{name}")
        model = told(name, settings, known) or completed(honest(await asked(provider, bare, known)), known)
        return Player(name, provider, model, model.price or self.ceiling, model.price is not None)

    @property
    def ceiling(self) -> Price:
        """What an unknown price is counted at: it is not free."""
        key = "models.unknown_price"
        return priced(key, self.config.settings.get(key, UNKNOWN_PRICE))


async def asked(provider: Provider, bare: str, known: Model | None) -> Model:
    """What the provider says of a model; what is known where it says nothing, else a modest guess."""
    if isinstance(provider, Described):
        try:
            return await provider.describe(bare)
        except Refused as error:  # a server that tells nothing of single models may have this one all the same
            if known is None:
                raise Refused(f"{error}{await suggestion(provider, bare)}") from error
    if known is not None:
        return replace(known, name=bare)
    try:
        async with asyncio.timeout(PATIENCE):
            offered = await provider.models()
    except (KoiError, TimeoutError):
        offered = ()
    listed = [model for model in offered if model.name == bare]
    return listed[0] if listed else Model(bare, context=CONTEXT, output=OUTPUT)


def executor_of(agent: Agent | None) -> str:
    """The role, or the model, that does an agent's work; empty where a worker does it alone."""
    if agent is None:
        return "executor"
    return agent.model or ("" if agent.worker and agent.team is None else "executor")


async def suggestion(provider: Provider, bare: str) -> str:
    """Names near to one that was refused."""
    try:
        async with asyncio.timeout(PATIENCE):
            names = [model.name for model in await provider.models()]
    except (KoiError, TimeoutError):
        return ""
    if bare in names:
        return ""
    near = get_close_matches(bare, names, n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
