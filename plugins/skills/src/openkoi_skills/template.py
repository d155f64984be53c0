"""Create the file of a new skill."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from openkoi_base.files import describe_write_error
from openkoi_base.skillfile.naming import MAX_NAME_LENGTH, NAME
from openkoi_base.skillfile.skill import EVALUATOR, Skill, write_skill
from openkoi_hookspecs import KoiError

INVALID_NAME = "Invalid name {name!r}: use lower-case letters, digits and single dashes.{better}"
BODY = """# {title}

Describe the steps: what to look at first, what to do, and how to check the result.
Put longer material into files next to this one and name them here; they are read when needed."""
RUBRIC = """---
name: {name}
kind: evaluator
description: {description}
metadata:
  categories: [{name}]
  dimensions:
    - name: correctness
      weight: 0.7
      description: Is it correct?
    - name: clarity
      weight: 0.3
      description: Is it easy to understand?
---

# {title}

Describe good work, and the mistakes that must be fixed.
"""


def create_file(file: Path, text: str) -> None:
    """Create the file in a folder of its own; remove the folder on errors. Raises OSError."""
    file.parent.mkdir(parents=True)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError:
        rmtree(file.parent, ignore_errors=True)
        raise


@contextmanager
def report_write_errors(place: Path) -> Iterator[None]:
    """Raise KoiError for an OSError in the block."""
    try:
        yield
    except OSError as error:
        raise KoiError(f"Cannot write {place}: {describe_write_error(error)}.") from error


def to_valid_name(name: str) -> str:
    """Return the nearest valid name, or an empty string: ``Pond Care`` is ``pond-care``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:MAX_NAME_LENGTH].strip("-")


def suggest_name(name: str) -> str:
    """Return a hint at the nearest valid name."""
    fit = to_valid_name(name)
    return f" Did you mean {fit!r}?" if fit else ""


def make_template(name: str, kind: str, description: str) -> str:
    """Return the text of a new skill's file; raise KoiError for an invalid name."""
    if not NAME.fullmatch(name):
        raise KoiError(INVALID_NAME.format(name=name, better=suggest_name(name)))
    title = name.replace("-", " ").capitalize()
    purpose = description or f"{title}. Describe when to use it, worded like a task."
    plain = write_skill(Skill(name, purpose, BODY.format(title=title)))
    if kind != EVALUATOR:
        return plain
    import yaml

    quoted = yaml.safe_dump(purpose, width=10_000, allow_unicode=True).removesuffix("\n...\n").strip()
    return RUBRIC.format(name=name, title=title, description=quoted)
