"""What the configuration tells of models, as ``[models.known."provider/model"]``. Knows settings; asks nobody."""

from collections.abc import Mapping
from dataclasses import replace

from openkoi_files import Setting
from openkoi_hookspecs import ConfigError, Model, Price

from .catalogue import CONTEXT, OUTPUT

FACTS = ("context", "output", "price")
LARGEST = 2**1000
UNKNOWN_PRICE = Setting([15.0, 75.0], "the defaults")


def told(name: str, settings: Mapping[str, Setting], known: Model | None) -> Model | None:
    """A model as the settings below its name tell of it, and as it is known otherwise; None when they tell nothing."""
    facts = {key: fact for key, fact in settings.items() if key in FACTS}
    if not facts:
        return None
    bare = name.partition("/")[2]
    return completed(model_of(name, bare, facts, known or Model(bare, context=CONTEXT, output=OUTPUT)), known)


def model_of(name: str, bare: str, facts: Mapping[str, Setting], known: Model) -> Model:
    """A model from what the configuration says of it."""
    place = f"models.known.{name}"
    return Model(
        bare,
        context=counted(f"{place}.context", facts["context"]) if "context" in facts else known.context,
        output=counted(f"{place}.output", facts["output"]) if "output" in facts else known.output,
        price=priced(f"{place}.price", facts["price"]) if "price" in facts else None,
    )


def completed(model: Model, known: Model | None) -> Model:
    """The same with what the bundle knows and nobody else said."""
    if known is None:
        return model
    return replace(model, price=model.price or known.price, edit=model.edit or known.edit, can=model.can or known.can)


def counted(key: str, setting: Setting) -> int:
    """A number of tokens."""
    if type(setting.value) is int and setting.value > 0:
        return setting.value
    raise ConfigError(f"{key} in {setting.origin} is {setting.value!r}; it should be a whole number above zero.")


def priced(key: str, setting: Setting) -> Price:
    """Dollars per million tokens: in, out, and of the cache read and written where that is told."""
    parts = setting.value
    if isinstance(parts, list) and 2 <= len(parts) <= 4 and all(map(payable, parts)):
        return Price(*map(float, parts))
    raise ConfigError(
        f"{key} in {setting.origin} is {parts!r}; it should be [in, out] in dollars per million tokens, "
        "each zero or more, and may go on with those of the cache: [in, out, read, write]."
    )


def payable(part: object) -> bool:
    """A finite number, zero or more."""
    return isinstance(part, (int, float)) and not isinstance(part, bool) and 0 <= part <= LARGEST


def honest(model: Model) -> Model:
    """A provider's model; a price that nobody can reckon with is not known."""
    return model if model.price is None or reckonable(model.price) else replace(model, price=None)


def reckonable(price: Price) -> bool:
    """Whether all of it are prices, beyond a number of tokens too."""
    own = all(map(payable, (price.input, price.output, price.cache_read, price.cache_write)))
    return own and (price.beyond is None or reckonable(price.beyond))
