"""Check the providers for ``openkoi doctor``: ask each for its health, or else for its models, which needs a key."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from openkoi_hookspecs.lazy_dataclass import dataclass

from .models import ROLES
from .plugin_check import ANSWER_TIMEOUT_SECONDS, load_before

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, Provider

# A server without a list of models, or a key that may not read it, can still answer.
UNLISTED_STATUSES = (403, 404, 405, 501)


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider's state in words; the error if it does not work; the names of its models if it listed them."""

    text: str
    error: str = ""
    models: tuple[str, ...] = ()


async def check_providers(koi: "Koi") -> Mapping[str, ProviderState]:
    """Check all providers at the same time; return their states by name."""
    names = [entry.name for entry in koi.plugins("providers")]
    await load_before("providers", names, koi)
    return dict(zip(names, await asyncio.gather(*(check_provider(koi, name) for name in names)), strict=True))


async def check_provider(koi: "Koi", name: str) -> ProviderState:
    """Return a provider's state: its health, or whether it lists its models."""
    from openkoi_base.isolation import contain_exit, format_error
    from openkoi_hookspecs import KoiError, ProviderError

    try:
        with contain_exit():
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                return await ask_provider(koi, name)
    except TimeoutError:
        late = f"{name} did not answer within {ANSWER_TIMEOUT_SECONDS:g} s."
        return ProviderState(late.removeprefix(f"{name} ").rstrip("."), late)
    except KoiError as error:
        text = str(error)
        if isinstance(error, ProviderError) and error.status in UNLISTED_STATUSES:
            return ProviderState(f"not checked, because it does not list its models ({error.status})")
        return ProviderState(text.rstrip("."), text)
    except Exception as error:  # a provider is a plugin: the other parts are checked all the same
        text = f"{name} failed to list its models: {format_error(error)}"
        return ProviderState(text, text)


async def ask_provider(koi: "Koi", name: str) -> ProviderState:
    """Ask a provider for its health, or else for its models; raise KoiError or TimeoutError."""
    from openkoi_hookspecs import SupportsHealthCheck

    provider = cast("Provider", await koi.load("providers", name))
    if isinstance(provider, SupportsHealthCheck):
        return ProviderState(", ".join(f"{word} {value}" for word, value in (await provider.health()).items()) or "ok")
    models = tuple(model.name for model in await provider.models())
    if not models:
        return ProviderState("not checked, because it lists no models")
    return ProviderState(f"ok, lists {len(models)} model{'s' * (len(models) > 1)}", models=models)


async def check_role_models(koi: "Koi", states: Mapping[str, ProviderState]) -> tuple[str, Sequence[str]]:
    """Return the executor's model in words, and the errors of the providers that the roles use."""
    from openkoi_hookspecs import KoiError

    try:
        names = [await koi.resolve_model(role) for role in ROLES]
    except KoiError as error:
        return "none", [str(error)]
    errors = dict.fromkeys(states[used].error for used in (name.partition("/")[0] for name in names) if used in states)
    return describe_listed(names[0], states), [error for error in errors if error]


def describe_listed(name: str, states: Mapping[str, ProviderState]) -> str:
    """Return a model's name, and whether its provider lists it; a shorter name of a listed model counts."""
    provider, _, model = name.partition("/")
    models = states[provider].models if provider in states else ()
    if not models or any(listed.startswith(model) for listed in models):
        return name
    return f"{name} (not in the list of {provider}; to see it, run `openkoi models {provider}`)"
