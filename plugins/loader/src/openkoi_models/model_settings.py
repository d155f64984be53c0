"""Read the facts about models in the configuration, such as ``[models.known."provider/model"]``."""

from dataclasses import replace

from openkoi_hookspecs import Model, Price
from openkoi_settings import Config, Key, keys
from openkoi_settings.value import LARGEST

from .model_prices import CONTEXT, OUTPUT


def model_from_settings(name: str, config: Config, known: Model | None) -> Model | None:
    """Return a model with the facts of its settings, completed by ``known``; None if no settings exist."""
    bare = name.partition("/")[2]
    context, output, price = keys.MODEL_CONTEXT.at(name), keys.MODEL_OUTPUT.at(name), keys.MODEL_PRICE.at(name)
    if not any(fact in config for fact in (context, output, price)):
        return None
    basis = known or Model(bare, context=CONTEXT, output=OUTPUT)
    model = Model(
        bare,
        context=config.explicit_value(context) or basis.context,
        output=config.explicit_value(output) or basis.output,
        price=read_price(price, config) if price in config else None,
    )
    return with_catalogue(model, known)


def with_catalogue(model: Model, known: Model | None) -> Model:
    """Return the facts, completed by those of the bundle."""
    if known is None:
        return model
    return replace(model, price=model.price or known.price, edit=model.edit or known.edit, can=model.can or known.can)


def read_price(key: Key[list[float]], config: Config) -> Price:
    """Return dollars per million tokens: input, output and, if set, cache read and write."""
    setting = config.setting(key)
    parts = setting.value
    if isinstance(parts, list) and 2 <= len(parts) <= 4 and all(map(is_price, parts)):
        return Price(*map(float, parts))
    wanted = (
        "[input, output] or [input, output, cache read, cache write], in dollars per million tokens, each 0 or more"
    )
    raise key.error(setting, wanted)


def is_price(part: object) -> bool:
    """Return whether a value is a finite number, zero or more."""
    return isinstance(part, (int, float)) and not isinstance(part, bool) and 0 <= part <= LARGEST


def sanitize_price(model: Model) -> Model:
    """Return a provider's model; treat an unusable price as unknown."""
    return model if model.price is None or is_usable(model.price) else replace(model, price=None)


def is_usable(price: Price) -> bool:
    """Return whether all parts of a price are valid, including those beyond a number of tokens."""
    own = all(map(is_price, (price.input, price.output, price.cache_read, price.cache_write)))
    return own and (price.beyond is None or is_usable(price.beyond))
