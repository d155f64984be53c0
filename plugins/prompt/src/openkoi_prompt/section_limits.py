"""Reject sections that are too large for the prompt, and name the plugin that added them.

The caps are those of issue 14: a plugin's 50 MB section left no room for a single call.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import Section

KIB = 1024
MAX_PLUGIN_BYTES = 64 * KIB
MAX_TOTAL_BYTES = 256 * KIB
WINDOW_SHARE = 4  # all sections may fill a quarter of the context window (issue 14)
BYTES_PER_TOKEN = 4
"""The same as in openkoi_models, which estimates the tokens of a text."""
MAX_CHARACTER_BYTES = 4
"""The maximum for UTF-8: most sections are so short that their bytes need not be counted."""
MEMORY_SOURCE = "memory"
MAX_SHOWN_NAMES, MAX_SHOWN_CHARACTERS = 3, 60


def max_total_bytes(window: int) -> int:
    """Return the maximum bytes of all sections together for a model with a context window of this many tokens."""
    return min(MAX_TOTAL_BYTES, window * BYTES_PER_TOKEN // WINDOW_SHARE)


def refuse_oversized(
    sections: Sequence[Section], hook: str, *, max_total: int, taken: int = 0
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Return the sections that are accepted at a hook, and a warning for each plugin whose sections are rejected.

    A plugin's sections are refused as a whole. What memory recalls is bounded by its share of the task's tokens, so it
    counts towards the total only; ``taken`` bytes of it are in use already.
    """
    sizes: dict[str, int] = {}
    for section in sections:
        sizes[section.source] = sizes.get(section.source, 0) + section_size(section)
    refused = {
        plugin: f"a plugin may add at most {MAX_PLUGIN_BYTES:,} bytes"
        for plugin, size in sizes.items()
        if size > MAX_PLUGIN_BYTES and plugin != MEMORY_SOURCE
    }
    rest = {plugin: size for plugin, size in sizes.items() if plugin not in refused}
    while rest and (total := taken + sum(rest.values())) > max_total:
        largest = max(rest, key=lambda plugin: rest[plugin])
        refused[largest] = f"all sections together have {total:,} bytes, but at most {max_total:,} fit the model"
        del rest[largest]
    kept = tuple(section for section in sections if section.source not in refused)
    own = {plugin: [one for one in sections if one.source == plugin] for plugin in refused}
    return kept, tuple(explain_refusal(plugin, own[plugin], hook, why) for plugin, why in refused.items())


def without_refused_texts(sections: Sequence[Section]) -> Sequence[Section]:
    """Return one plugin's sections for the log: if rejected, with sizes instead of texts."""
    characters = sum([len(one.name) + len(one.text) for one in sections])
    if characters * MAX_CHARACTER_BYTES <= MAX_PLUGIN_BYTES or total_size(sections) <= MAX_PLUGIN_BYTES:
        return sections
    return [replace(one, text=f"({section_size(one):,} bytes, refused)") for one in sections]


def explain_refusal(plugin: str, sections: Sequence[Section], hook: str, why: str) -> str:
    """Return whose sections were refused and why, the largest by name."""
    by_size = sorted(sections, key=section_size, reverse=True)
    names = ", ".join(one.name[:MAX_SHOWN_CHARACTERS] for one in by_size[:MAX_SHOWN_NAMES])
    more = f" and {len(by_size) - MAX_SHOWN_NAMES} more" if len(by_size) > MAX_SHOWN_NAMES else ""
    noun = "section" if len(sections) == 1 else "sections"
    size = f"{total_size(sections):,} bytes"
    return f"Omitted the {noun} {names}{more} ({size}) that {plugin or 'a plugin'} added at {hook}: {why}."


def total_size(sections: Iterable[Section]) -> int:
    """Return the size of sections in bytes."""
    return sum(map(section_size, sections))


def section_size(section: Section) -> int:
    """Return the size of a section in UTF-8 bytes, including its name."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in (section.name, section.text))
