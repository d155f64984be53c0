"""The cost of a model call: the tokens that it used, and the price of the model."""

from dataclasses import KW_ONLY, replace
from typing import Self

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call as the vendor counted them; ``input`` excludes the cached ones."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """All tokens, whatever they cost."""
        return self.prompt + self.output

    @property
    def prompt(self) -> int:
        """Tokens of the request, including cached ones."""
        return self.input + self.cache_read + self.cache_write

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens. In a request of more than ``above`` input tokens, every token costs ``beyond``."""

    input: float
    output: float
    cache_read: float = 0.0
    cache_write: float = 0.0
    _: KW_ONLY
    above: int = 0
    beyond: "Price | None" = None

    def at(self, tokens: int) -> "Price":
        """Return the price of a request with so many input tokens, including cached ones."""
        return self.beyond if self.beyond is not None and tokens > self.above else self

    def cost(self, usage: Usage) -> float:
        """Return the dollars of one call; cached tokens without a separate price cost as much as input."""
        at = self.at(usage.prompt)
        cached = usage.cache_read * (at.cache_read or at.input) + usage.cache_write * (at.cache_write or at.input)
        return (usage.input * at.input + usage.output * at.output + cached) / 1e6
