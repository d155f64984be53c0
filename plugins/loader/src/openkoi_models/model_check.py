"""Check before a run that a model can be called for each role."""

from collections.abc import Callable

from openkoi_hookspecs import Agent, KoiError, ProviderUnavailableError

from .model_roles import EXECUTOR, ModelRouter, executor_of


async def check_models(agent: Agent | None, router: ModelRouter, warn: Callable[[str], None]) -> None:
    """Check the models of all roles that a task uses. A worker's own models are checked when it calls them."""
    if executor := executor_of(agent):
        for role in router.configured_roles():
            await check_role(executor if role == EXECUTOR else role, router, warn)


async def check_role(role: str, router: ModelRouter, warn: Callable[[str], None]) -> None:
    """Check the models of a role until one can be called; if none can, raise the error of the last one.

    Fallbacks that cannot be called are reported now, not when they are needed.
    """
    first, *others = await router.chain(role)
    for name in others:
        try:
            await router.load(name.partition("/")[0])
        except KoiError as error:
            warn(f"{name} cannot be a fallback for {first}: {error}")
            router.excluded.add(name)
    chain = await router.chain(role)
    for name in chain:
        try:
            await router.resolve_model(name)
            return
        except ProviderUnavailableError:
            if name == chain[-1]:
                raise
