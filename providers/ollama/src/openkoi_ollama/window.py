"""How large a window each model is given. Knows sizes; knows no server.

Ollama cuts off what does not fit into ``num_ctx``, and loads a model anew whenever it changes. So it is always large
enough for the request and its answer, a power of two, and never becomes smaller.
"""

from dataclasses import dataclass

from openkoi_hookspecs import RequestRejectedError

from .catalogue import Installed, full

SMALLEST = 8192
SPARE = 256
PICTURE = 2048
DENSITY = 1 / 3
TELLING = 4096


@dataclass(frozen=True, slots=True)
class Size:
    """How long a prompt is: bytes of text, and pictures."""

    text: int
    pictures: int = 0


class Windows:
    """The windows that models have been given, and how many tokens a byte turned out to be to each."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}
        self._density: dict[str, float] = {}

    def fit(self, installed: Installed, size: Size, answer: int) -> int:
        """Return the window for a request; raises RequestRejectedError when the model cannot hold as much."""
        model, name = installed.model, full(installed.model.name)
        tokens = self.tokens(name, size)
        if tokens + answer > model.context:
            raise RequestRejectedError(
                f"The prompt (about {tokens} tokens) and an answer of {answer} do not fit into {model.name}, "
                f"which holds {model.context}. Shorten it, or choose a larger model; raise num_ctx where it is set.",
                context_overflow=True,
            )
        wanted = max(self._given.get(name, 0), installed.own, SMALLEST, power(tokens + answer))
        self._given[name] = min(model.context, wanted)
        return self._given[name]

    def tokens(self, name: str, size: Size) -> int:
        """Estimate, rather too high than too low."""
        return int(size.text * self._density.get(name, DENSITY)) + size.pictures * PICTURE + SPARE

    def learn(self, model: str, size: Size, tokens: int) -> None:
        """Take note of how many tokens a prompt really was; a short one says little."""
        if size.pictures or size.text < TELLING:
            return
        known = self._density.get(full(model), DENSITY)
        self._density[full(model)] = max(known, min(1.0, tokens / size.text))

    def widen(self, installed: Installed) -> bool:
        """Give a model more from now on, for its server found a prompt too long; tell whether there is more."""
        name, context = full(installed.model.name), installed.model.context
        given = self._given.get(name, SMALLEST)
        self._given[name] = min(context, 2 * given)
        return given < context


def power(tokens: int) -> int:
    """Return the smallest power of two that is not less."""
    return 1 << (max(1, tokens) - 1).bit_length()
