"""Choose each model's context window (``num_ctx``).

Ollama truncates a prompt that exceeds ``num_ctx``, and reloads the model whenever that value changes. The window is
therefore large enough for prompt and response, a power of two, and never shrinks.
"""

from openkoi_hookspecs import RequestRejectedError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .model_list import InstalledModel, with_tag

# The smallest context window to request: twice Ollama's default (estimate).
MIN_WINDOW_TOKENS = 8192
# Estimates: the template's own tokens, and an image in common vision models.
SPARE_TOKENS = 256
TOKENS_PER_IMAGE = 2048
TOKENS_PER_BYTE = 1 / 3  # of text that a model tokenizes poorly (estimate)
MIN_SAMPLE_BYTES = 4096  # shorter prompts do not show a model's tokens per byte (estimate)


@dataclass(frozen=True, slots=True)
class PromptSize:
    """The size of a prompt: bytes of text, and number of images."""

    text: int
    pictures: int = 0


class ContextWindows:
    """The context window of each model, and its measured tokens per byte."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}
        self._density: dict[str, float] = {}

    def choose(self, installed: InstalledModel, size: PromptSize, answer: int) -> int:
        """Return the context window for a request; raise RequestRejectedError when the model's maximum is too small."""
        model, name = installed.model, with_tag(installed.model.name)
        tokens = self.estimate_tokens(name, size)
        if tokens + answer > model.context:
            raise RequestRejectedError(
                f"The prompt (about {tokens} tokens) and a response of {answer} tokens exceed the window of "
                f"{model.name} ({model.context} tokens). Shorten the prompt, choose a larger model, or raise "
                "num_ctx if it is set.",
                context_overflow=True,
            )
        wanted = max(
            self._given.get(name, 0), installed.default_window, MIN_WINDOW_TOKENS, next_power_of_two(tokens + answer)
        )
        self._given[name] = min(model.context, wanted)
        return self._given[name]

    def estimate_tokens(self, name: str, size: PromptSize) -> int:
        """Estimate the tokens of a prompt, rather too high than too low."""
        return (
            int(size.text * self._density.get(name, TOKENS_PER_BYTE)) + size.pictures * TOKENS_PER_IMAGE + SPARE_TOKENS
        )

    def record(self, model: str, size: PromptSize, tokens: int) -> None:
        """Record the actual tokens of a prompt; short prompts are too imprecise."""
        if size.pictures or size.text < MIN_SAMPLE_BYTES:
            return
        known = self._density.get(with_tag(model), TOKENS_PER_BYTE)
        self._density[with_tag(model)] = max(known, min(1.0, tokens / size.text))

    def widen(self, installed: InstalledModel) -> bool:
        """Double a model's window after its server rejected a prompt as too long; return whether that was possible."""
        name, context = with_tag(installed.model.name), installed.model.context
        given = self._given.get(name, MIN_WINDOW_TOKENS)
        self._given[name] = min(context, 2 * given)
        return given < context


def next_power_of_two(tokens: int) -> int:
    """Return the smallest power of two that is not less."""
    return 1 << (max(1, tokens) - 1).bit_length()
