"""The models that ``/model`` offers: those in use, others of their providers, and the defaults of other providers."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from openkoi_hookspecs import KoiError, NoModelError

from .view import Choice

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, Provider

ROLES = ("executor", "evaluator")
TIMEOUT_SECONDS = 5.0  # for which a provider is waited for
MAX_OFFERED = 100  # of a provider; /model NAME sets any


async def list_choices(koi: "Koi") -> Sequence[Choice]:
    """Return the models to choose from, those in use first."""
    used = await list_used(koi)
    details = {name: f"current {' and '.join(roles)}" for name, roles in used.items()}
    for provider in dict.fromkeys(name.partition("/")[0] for name in used):
        for name in await list_offered(koi, provider):
            details.setdefault(f"{provider}/{name}", "")
    for one in koi.providers():
        details.setdefault(f"{one.provider}/{one.model}", f"with ${one.variable}" if one.variable else one.hint)
    return [Choice("", name, name, detail=detail) for name, detail in details.items()]


async def list_used(koi: "Koi") -> Mapping[str, Sequence[str]]:
    """Return the models in use, each with its roles; none if no model is found."""
    found: dict[str, list[str]] = {}
    try:
        for role in ROLES:
            found.setdefault(await koi.resolve_model(role), []).append(role)
    except NoModelError:
        return {}
    return found


async def list_offered(koi: "Koi", provider: str) -> Sequence[str]:
    """Return the models of a provider; none if it does not list them soon."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            models = await cast("Provider", await koi.load("providers", provider)).models()
    except (KoiError, TimeoutError):
        return ()
    return [one.name for one in models][:MAX_OFFERED]
