"""Which model plays which part. Knows names, model facts and the configuration; calls nobody.

A role (executor, evaluator, planner, small) is played by the model configured for it, else by the default one. A model
is ``provider/name``. The facts of a model (context, output, price) come from the configuration, else from its provider.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from openkoi_hookspecs import BadSetting, Described, KoiError, Model, NoProvider, Price, Provider

from .config import Config

ROLES = ("executor", "evaluator", "planner", "embedder", "small")
CONTEXT, OUTPUT = 128_000, 8_192
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
    """Who plays what, looked up once each."""

    config: Config
    load: Callable[[str], Awaitable[Provider]]
    players: dict[str, Player] = field(default_factory=dict)

    def name(self, role: str) -> str:
        """The ``provider/model`` for a role, or for a name that is one already."""
        if "/" in role:
            return role
        if role not in ROLES:
            raise BadSetting(f"{role!r} is neither a role ({', '.join(ROLES)}) nor a provider/model.")
        named = self.config.get(f"models.{role}", str, "") or self.config.get("models.default", str, "")
        if not named:
            raise NoProvider(
                "No model is configured. Set OPENAI_API_KEY (and OPENAI_BASE_URL for another server) and choose one "
                "with -m openai/MODEL, OPENKOI_MODEL or [models] default. To see OpenKoi at work without: openkoi demo"
            )
        if "/" not in named:
            raise BadSetting(f"The model {named!r} should be written as provider/model, such as openai/gpt-5.2.")
        return named

    async def player(self, role: str) -> Player:
        """The model that answers for a role."""
        name = self.name(role)
        if name not in self.players:
            self.players[name] = await self.enlist(name)
        return self.players[name]

    async def enlist(self, name: str) -> Player:
        vendor, _, bare = name.partition("/")
        provider = await self.load(vendor)
        model = self.configured(name, bare) or await asked(provider, bare)
        return Player(name, provider, model, model.price or self.ceiling, model.price is not None)

    @property
    def ceiling(self) -> Price:
        """What an unknown price is counted at: it is not free."""
        dear = self.config.get("models.unknown_price", list, [15.0, 75.0])
        return Price(*(float(part) for part in dear))

    def configured(self, name: str, bare: str) -> Model | None:
        """Model facts of ``[models.known."provider/model"]``."""
        facts = {key: setting.value for key, setting in self.config.table(f"models.known.{name}").items()}
        if not facts:
            return None
        return model_of(name, bare, facts)


def model_of(name: str, bare: str, facts: Mapping[str, object]) -> Model:
    try:
        price = facts.get("price")
        return Model(
            bare,
            context=int(str(facts.get("context", CONTEXT))),
            output=int(str(facts.get("output", OUTPUT))),
            price=Price(*(float(str(part)) for part in price)) if isinstance(price, Sequence) else None,
        )
    except (TypeError, ValueError) as error:
        raise BadSetting(
            f'[models.known."{name}"] is wrong: {error}. Expected context, output, price = [in, out].'
        ) from None


async def asked(provider: Provider, bare: str) -> Model:
    """What the provider says of a model; a modest guess where it says nothing."""
    if isinstance(provider, Described):
        return await provider.describe(bare)
    try:
        async with asyncio.timeout(PATIENCE):
            offered = await provider.models()
    except (KoiError, TimeoutError):
        offered = ()
    known = [model for model in offered if model.name == bare]
    return known[0] if known else Model(bare, context=CONTEXT, output=OUTPUT)


async def suggestion(player: Player) -> str:
    """Names near to one that was refused."""
    try:
        async with asyncio.timeout(PATIENCE):
            names = [model.name for model in await player.provider.models()]
    except (KoiError, TimeoutError):
        return ""
    if player.model.name in names:
        return ""
    near = get_close_matches(player.model.name, names, n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
