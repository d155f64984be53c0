"""Which model plays which part. Knows names, model facts and the configuration; calls nobody.

A role (executor, evaluator, planner, small) is played by the model configured for it, else by the default one. A model
is ``provider/name``. The facts of a model (context, output, price) come from the configuration, else from its provider.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from openkoi_hookspecs import BadSetting, Described, KoiError, Model, NoProvider, Price, Provider

from .config import LARGEST, Config, Setting

ROLES = ("executor", "evaluator", "planner", "embedder", "small")
CONTEXT, OUTPUT = 128_000, 8_192
FACTS = ("context", "output", "price")
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

    def configured_roles(self) -> list[str]:
        """The executor, and whoever else the configuration names: those are looked at before anything begins."""
        return ["executor", *(role for role in ("evaluator", "planner") if f"models.{role}" in self.config.settings)]

    async def player(self, role: str) -> Player:
        """The model that answers for a role."""
        name = self.name(role)
        if name not in self.players:
            self.players[name] = await self.enlist(name)
        return self.players[name]

    async def enlist(self, name: str) -> Player:
        vendor, _, bare = name.partition("/")
        provider = await self.load(vendor)
        model = self.configured(name, bare) or honest(await asked(provider, bare))
        return Player(name, provider, model, model.price or self.ceiling, model.price is not None)

    @property
    def ceiling(self) -> Price:
        """What an unknown price is counted at: it is not free."""
        key = "models.unknown_price"
        setting = self.config.settings.get(key, Setting([15.0, 75.0], "the defaults"))
        return priced(key, setting)

    def configured(self, name: str, bare: str) -> Model | None:
        """Model facts of ``[models.known."provider/model"]``."""
        facts = {key: fact for key, fact in self.config.table(f"models.known.{name}").items() if key in FACTS}
        if not facts:
            return None
        return model_of(name, bare, facts)


def model_of(name: str, bare: str, facts: Mapping[str, Setting]) -> Model:
    """A model from what the configuration says of it."""
    place = f"models.known.{name}"
    return Model(
        bare,
        context=counted(f"{place}.context", facts["context"]) if "context" in facts else CONTEXT,
        output=counted(f"{place}.output", facts["output"]) if "output" in facts else OUTPUT,
        price=priced(f"{place}.price", facts["price"]) if "price" in facts else None,
    )


def counted(key: str, setting: Setting) -> int:
    """A number of tokens."""
    if type(setting.value) is int and setting.value > 0:
        return setting.value
    raise BadSetting(f"{key} in {setting.origin} is {setting.value!r}; it should be a whole number above zero.")


def priced(key: str, setting: Setting) -> Price:
    """Dollars per million tokens: in, out, and of the cache read and written where that is told."""
    parts = setting.value
    if isinstance(parts, list) and 2 <= len(parts) <= 4 and all(map(payable, parts)):
        return Price(*map(float, parts))
    raise BadSetting(
        f"{key} in {setting.origin} is {parts!r}; it should be [in, out] in dollars per million tokens, "
        "each zero or more, and may go on with those of the cache: [in, out, read, write]."
    )


def payable(part: object) -> bool:
    """A finite number, zero or more."""
    return isinstance(part, (int, float)) and not isinstance(part, bool) and 0 <= part <= LARGEST


def honest(model: Model) -> Model:
    """A provider's model; a price that nobody can reckon with is not known."""
    price = model.price
    if price is None or all(map(payable, (price.input, price.output, price.cache_read, price.cache_write))):
        return model
    return replace(model, price=None)


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
