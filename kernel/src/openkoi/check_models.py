"""Check before a run that a model can be called for each role."""

from openkoi_hookspecs import KoiError, ProviderUnavailableError, Task
from openkoi_models import executor_of

from .services import Services


async def check_models(task: Task, services: Services) -> None:
    """Check the models of all roles that the task uses. A worker's own models are checked when it calls them."""
    if executor := executor_of(task.agent):
        for role in services.router.configured_roles():
            await check_role(executor if role == "executor" else role, services)


async def check_role(role: str, services: Services) -> None:
    """Check the models of a role until one can be called; raises what is wrong with the last one.

    Fallbacks that cannot be called are named now, and not when they are needed.
    """
    router = services.router
    first, *others = await router.chain(role)
    for name in others:
        try:
            await router.load(name.partition("/")[0])
        except KoiError as error:
            services.warn_once(f"{name} cannot stand in for {first}: {error}")
            router.excluded.add(name)
    chain = await router.chain(role)
    for name in chain:
        try:
            await router.resolved(name)
            return
        except ProviderUnavailableError:
            if name == chain[-1]:
                raise
