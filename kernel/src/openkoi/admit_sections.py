"""Admit the sections that plugins add at a hook, within the size limits of ``openkoi_prompt``."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import KoiError, Section
from openkoi_prompt import max_total_bytes, refuse_oversized, total_size

from .run import TaskRun

UNKNOWN_WINDOW = 10**9


async def admit(
    given: Iterable[tuple[str, Sequence[Section]]],
    hook: Callable[..., object],
    run: TaskRun,
    *,
    beside: Sequence[Section] = (),
) -> list[Section]:
    """Return the sections from plugins, each with its plugin's name; reject oversized ones with a warning."""
    return await within_caps([replace(one, source=plugin) for plugin, own in given for one in own], hook, run, beside)


async def within_caps(
    sections: Sequence[Section], hook: Callable[..., object], run: TaskRun, beside: Sequence[Section] = ()
) -> list[Section]:
    """Return the sections that fit into the model's context ``beside`` those already in it; warn about the rest."""
    if not sections:
        return []
    most = max_total_bytes(await window_of(run))
    kept, warnings = refuse_oversized(sections, hook.__name__, max_total=most, taken=total_size(beside))
    for text in warnings:
        run.services.warn_once(text)
    await run.warn()
    return list(kept)


async def window_of(run: TaskRun) -> int:
    """Return the model's context size; an unavailable model raises its own error when it is called."""
    if run.agent.worker:
        return UNKNOWN_WINDOW
    try:
        return await run.window()
    except KoiError:
        return UNKNOWN_WINDOW
