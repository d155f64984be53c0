"""Choose the rubric for a task."""

import re
from collections.abc import Callable, Iterable, Sequence

from openkoi_base.skillfile.evaluator import Rubric, canonical_name
from openkoi_hookspecs import ConfigError, PluginNotFoundError, Task

from .rubrics_library import RubricLibrary

DEFAULT_RUBRIC = "general"
FIXED = (
    "The rubric {name} does not use a model, so the judge cannot use it. "
    "Add it to `rubrics` in [evaluators.expectations]."
)
WORD = r"(?:evaluator|rubric)"
MENTION = r"\b{word}s?\b[\s:=\"'`]{{1,3}}{name}(?![\w-])|(?<![\w-]){name}[\"'`]?\s{word}\b"


def choose_rubric(rubrics: Sequence[Rubric], wish: str, task: Task, preferences: Iterable[str] = ()) -> Rubric:
    """Return the requested rubric, else one that the task or a preference names, else its category's, else the general
    one.

    ``rubrics`` are in order of precedence; those that ask no model are skipped. Raise PluginNotFoundError for an
    unknown name, ConfigError for a rubric that asks no model.
    """
    if wish and find_rubric(rubrics, wish).method.asks_no_model:
        raise ConfigError(FIXED.format(name=wish))
    if wish:
        return find_rubric(rubrics, wish)
    rubrics = [rubric for rubric in rubrics if not rubric.method.asks_no_model]
    return (
        first_or_none(find_named((task.text, *preferences), rubrics))
        or first_or_none(for_category(rubrics, task.category))
        or find_rubric(rubrics, DEFAULT_RUBRIC)
    )


def find_named(texts: Iterable[str], rubrics: Sequence[Rubric]) -> Iterable[Rubric]:
    """Yield the rubrics that one of these texts names, in the order of the texts."""
    return (rubric for text in texts for rubric in rubrics if is_mentioned(rubric.name, text))


def sort_by_merit(library: RubricLibrary, merit: Callable[[Rubric], float]) -> list[Rubric]:
    """Return the rubrics of each source, the best certified first; the source takes precedence over the certificate."""
    ranks = {source: place for place, source in enumerate(dict.fromkeys(library.sources.values()))}
    return sorted(library.rubrics, key=lambda rubric: (ranks[library.sources[rubric.name]], -merit(rubric)))


def find_rubric(rubrics: Sequence[Rubric], name: str) -> Rubric:
    """Return the rubric with a name; raise PluginNotFoundError if there is none."""
    found = first_or_none(rubric for rubric in rubrics if rubric.name.casefold() == name.strip().casefold())
    if not found:
        raise PluginNotFoundError("rubric", name, tuple(rubric.name for rubric in rubrics))
    return found


def is_mentioned(name: str, text: str) -> bool:
    """Return whether a text names a rubric: ``the terse evaluator``, ``rubric: terse``, or a name that is not an
    ordinary word.
    """
    plain = re.escape(name)
    pattern = MENTION.format(word=WORD, name=plain)
    if not name.isalpha():
        pattern += rf"|(?<![\w-]){plain}(?![\w-])"
    return bool(re.search(pattern, text, re.IGNORECASE))


def for_category(rubrics: Sequence[Rubric], category: str) -> Iterable[Rubric]:
    """Yield the rubrics for a category of tasks, in order."""
    wanted = canonical_name(category)
    return (rubric for rubric in rubrics if wanted and wanted in map(canonical_name, rubric.categories))


def first_or_none(rubrics: Iterable[Rubric]) -> Rubric | None:
    """Return the first rubric, if any."""
    return next(iter(rubrics), None)
