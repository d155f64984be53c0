"""Models on this machine: whether Ollama runs, and which of its models is best. Knows names; knows no protocol."""

from collections.abc import Sequence

from openkoi_hookspecs import Koi, KoiError

from .providers import models_of

NAME = "ollama"
PREFERRED = ("qwen2.5-coder", "codestral", "deepseek-coder-v2", "llama3.3", "llama3.1", "mistral", "gemma2")
USUAL = "llama3.3"
SECONDS = 0.5
TRIES = 2


def best_model(names: Sequence[str]) -> str:
    """The most capable of these, by the order in which they are preferred; else the first; else the usual one."""
    ranked = (name for wanted in PREFERRED for name in names if wanted in name)
    return next(ranked, next(iter(names), USUAL))


async def probe(koi: Koi) -> Sequence[str]:
    """The models that answer at once; none when nobody does. The first try may have spent its time on starting up."""
    for _ in range(TRIES):
        try:
            return await models_of(koi, NAME, SECONDS)
        except TimeoutError:
            continue
        except KoiError:
            return ()
    return ()
