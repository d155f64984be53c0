"""Choose the rubric for a task. Knows names, categories and what certificates say; knows no files and no models."""

import re
from collections.abc import Callable, Iterable, Sequence

from openkoi_hookspecs import ConfigError, PluginNotFoundError, Task
from openkoi_skillfile import Rubric, canonical

from .shelf import Shelf

FLOOR = "general"
FIXED = "The rubric {name} asks no model, so a judge cannot use it. Add it to `rubrics` in [evaluators.expectations]."
WORD = r"(?:evaluator|rubric)"
MENTION = r"\b{word}s?\b[\s:=\"'`]{{1,3}}{name}(?![\w-])|(?<![\w-]){name}[\"'`]?\s{word}\b"


def choose(rubrics: Sequence[Rubric], wish: str, task: Task, preferences: Iterable[str] = ()) -> Rubric:
    """Take the one wished for, else the one the task or a preference names, else its category's, else the general one.

    ``rubrics`` stand in their order of precedence; those that ask no model are not for a judge. A wish for one that
    does not exist raises PluginNotFoundError, for one that asks no model ConfigError.
    """
    if wish and wished(rubrics, wish).method.fixed:
        raise ConfigError(FIXED.format(name=wish))
    if wish:
        return wished(rubrics, wish)
    rubrics = [rubric for rubric in rubrics if not rubric.method.fixed]
    return (
        first(named_in((task.text, *preferences), rubrics))
        or first(serving(rubrics, task.category))
        or wished(rubrics, FLOOR)
    )


def named_in(texts: Iterable[str], rubrics: Sequence[Rubric]) -> Iterable[Rubric]:
    """Those that one of these texts asks for, in the order of the texts."""
    return (rubric for text in texts for rubric in rubrics if mentioned(rubric.name, text))


def by_merit(shelf: Shelf, merit: Callable[[Rubric], float]) -> list[Rubric]:
    """The rubrics of a shelf, of each source the best certified first; where certificates say nothing, as they stood.

    The source goes before: what a person wrote is not outranked by what came with a package.
    """
    ranks = {source: place for place, source in enumerate(dict.fromkeys(shelf.sources.values()))}
    return sorted(shelf.rubrics, key=lambda rubric: (ranks[shelf.sources[rubric.name]], -merit(rubric)))


def wished(rubrics: Sequence[Rubric], name: str) -> Rubric:
    """Find one by its name."""
    found = first(rubric for rubric in rubrics if rubric.name.casefold() == name.strip().casefold())
    if not found:
        raise PluginNotFoundError("rubric", name, tuple(rubric.name for rubric in rubrics))
    return found


def mentioned(name: str, text: str) -> bool:
    """Whether a text asks for a rubric: ``the terse evaluator``, ``rubric: terse``, or a name that is no plain word."""
    plain = re.escape(name)
    pattern = MENTION.format(word=WORD, name=plain)
    if not name.isalpha():
        pattern += rf"|(?<![\w-]){plain}(?![\w-])"
    return bool(re.search(pattern, text, re.IGNORECASE))


def serving(rubrics: Sequence[Rubric], category: str) -> Iterable[Rubric]:
    """Those for a category of tasks, in order."""
    wanted = canonical(category)
    return (rubric for rubric in rubrics if wanted and wanted in map(canonical, rubric.categories))


def first(rubrics: Iterable[Rubric]) -> Rubric | None:
    """The first of them, if there is one."""
    return next(iter(rubrics), None)
