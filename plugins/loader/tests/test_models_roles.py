"""What a model costs and holds: said by the configuration, else by its provider, and never nonsense."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from openkoi_hookspecs import Chunk, ConfigError, Model, NoProviderError, Paths, Price, Provider, Request
from openkoi_models import CONTEXT, OUTPUT, Catalogue, ModelChoice, ModelRouter, ResolvedModel
from openkoi_settings import Config, Setting

pytestmark = pytest.mark.unit

INFINITE, NAN = float("inf"), float("nan")


@dataclass
class Vendor:
    """A provider that lists models and answers nothing."""

    offered: Sequence[Model] = ()

    async def models(self) -> Sequence[Model]:
        """The models."""
        return self.offered

    def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Nobody asks."""
        raise AssertionError(request)


async def nothing() -> ModelChoice:
    """There is nothing to be found."""
    raise NoProviderError("nothing here")


def cast(settings: Mapping[str, object], offered: Sequence[Model] = ()) -> ModelRouter:
    async def load(name: str) -> Provider:
        return Vendor(offered)

    given = {key: Setting(value, "there.toml") for key, value in settings.items()}
    return ModelRouter(Config(given, Paths(Path("c"), Path("d")), Path()), Catalogue(), load, nothing)


def player(settings: Mapping[str, object], offered: Sequence[Model] = (), name: str = "acme/one") -> ResolvedModel:
    return asyncio.run(cast(settings, offered).complete_model(name))


def known(**facts: object) -> dict[str, object]:
    return {f"models.known.acme/one.{key}": value for key, value in facts.items()}


@pytest.mark.parametrize(
    ("reply", "price"),
    [
        ([1, 2], Price(1.0, 2.0)),
        ([0.0, 0], Price(0.0, 0.0)),
        ([1, 2, 0.5], Price(1.0, 2.0, 0.5)),
        ([1, 2, 0.5, 3], Price(1.0, 2.0, 0.5, 3.0)),
    ],
)
def test_a_price_is_two_to_four_numbers(reply: object, price: Price) -> None:
    report = player(known(price=reply))

    assert (price, True) == (report.price, report.known)
    assert price == cast({"models.unknown_price": reply}).ceiling


WRONG = ["15", 15, [], [1], [1, 2, 3, 4, 5], [-100, 1], [1, NAN], [INFINITE, 1], ["1", "2"], [True, True], [10**400, 1]]


@pytest.mark.parametrize("reply", WRONG)
def test_a_price_that_nobody_can_reckon_with_is_refused(reply: object) -> None:
    with pytest.raises(ConfigError, match=r"^models\.known\.acme/one\.price in there\.toml is "):
        player(known(price=reply))


@pytest.mark.parametrize("reply", WRONG)
def test_so_is_one_for_the_unknown(reply: object) -> None:
    with pytest.raises(ConfigError, match=r"^models\.unknown_price in there\.toml is "):
        _ = cast({"models.unknown_price": reply}).ceiling


@pytest.mark.parametrize("fact", ["context", "output"])
@pytest.mark.parametrize("reply", [0, -1, 1.5, "8192", True, None, [1]])
def test_tokens_are_whole_numbers_above_zero(fact: str, reply: object) -> None:
    with pytest.raises(ConfigError) as refusal:
        player(known(**{fact: reply}))

    wanted = "1 or more" if type(reply) is int else "a whole number"
    assert f"models.known.acme/one.{fact} in there.toml is {reply!r}; it should be {wanted}." == str(refusal.value)


def test_what_is_not_said_is_guessed() -> None:
    report = player(known(context=1000))

    assert Model("one", context=1000, output=OUTPUT) == report.model
    assert (Price(15.0, 75.0), False) == (report.price, report.known)


def test_facts_of_a_model_whose_name_goes_on_are_another_one_s() -> None:
    offered = Model("gpt-5", context=7, output=7, price=Price(1, 2))
    report = player({"models.known.acme/gpt-5.2.price": [9, 9]}, [offered], "acme/gpt-5")

    assert (offered, Price(1, 2)) == (report.model, report.price)


def test_a_provider_that_says_a_price_is_believed() -> None:
    report = player({}, [Model("one", context=1, output=1, price=Price(1, 2, 0.5, 3))])

    assert (Price(1, 2, 0.5, 3), True) == (report.price, report.known)


@pytest.mark.parametrize(
    "price", [Price(-5, 1), Price(NAN, 1), Price(1, INFINITE), Price(1, 2, -0.1), Price(1, 2, 0, NAN)]
)
def test_a_provider_s_nonsense_is_an_unknown_price(price: Price) -> None:
    report = player({}, [Model("one", context=1, output=1, price=price)])

    assert (Price(15.0, 75.0), False, None) == (report.price, report.known, report.model.price)


def test_a_model_that_nobody_lists_has_a_modest_guess() -> None:
    assert Model("one", context=CONTEXT, output=OUTPUT) == player({}).model
