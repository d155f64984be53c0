"""Write the file of a new skill."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from openkoi_hookspecs import KoiError
from openkoi_skillfile import EVALUATOR, LONGEST_NAME, NAME, Skill, write_skill

NAMELESS = "The name {name!r} has to be small letters, digits and single dashes.{better}"
UNWRITTEN = "{place} cannot be written: {why}. Make room there, or make it writable, and try again."
BODY = """# {title}

Say step by step how this is done here: what to look at first, what to do, how to tell that it is done.
Longer material belongs into files beside this one: name them here, and they are read when they are needed."""
RUBRIC = """---
name: {name}
kind: evaluator
description: {description}
metadata:
  categories: [{name}]
  dimensions:
    - name: correctness
      weight: 0.7
      description: Is it right?
    - name: clarity
      weight: 0.3
      description: Can it be understood at once?
---

# {title}

Say what good work looks like here, and what is a mistake that must be mended.
"""


def begin(file: Path, text: str) -> None:
    """Write the file in a folder of its own; where that cannot be, leave nothing behind. Raises OSError."""
    file.parent.mkdir(parents=True)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError:
        rmtree(file.parent, ignore_errors=True)
        raise


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """While something is written there; raises KoiError where the disk does not take it."""
    try:
        yield
    except OSError as error:
        raise KoiError(UNWRITTEN.format(place=place, why=error.strerror or error)) from error


def to_valid_name(name: str) -> str:
    """Return the nearest valid name, or an empty string: ``Pond Care`` is ``pond-care``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_NAME].strip("-")


def better(name: str) -> str:
    """What could be meant, as a hint."""
    fit = to_valid_name(name)
    return f" Did you mean {fit!r}?" if fit else ""


def template(name: str, kind: str, description: str) -> str:
    """The text of a file for a name. Raises Unusable when it could not be read by others."""
    if not NAME.fullmatch(name):
        raise KoiError(NAMELESS.format(name=name, better=better(name)))
    title = name.replace("-", " ").capitalize()
    said = description or f"{title}. Say when to use it, in the words that a task would use."
    plain = write_skill(Skill(name, said, BODY.format(title=title)))
    if kind != EVALUATOR:
        return plain
    import yaml

    quoted = yaml.safe_dump(said, width=10_000, allow_unicode=True).removesuffix("\n...\n").strip()
    return RUBRIC.format(name=name, title=title, description=quoted)
