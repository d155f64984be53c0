"""A new skill's file, to be filled in. Knows the format; knows no folder."""

import re

from openkoi_hookspecs import KoiError
from openkoi_skillfile import EVALUATOR, NAME, Skill, write_skill
from openkoi_skillfile.skill import LONGEST_NAME

NAMELESS = "The name {name!r} has to be small letters, digits and single dashes.{better}"
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


def fitted(name: str) -> str:
    """The name as it would have to be, empty where nothing of it can stay: ``Pond Care`` is ``pond-care``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_NAME].strip("-")


def better(name: str) -> str:
    """What could be meant, as a hint."""
    fit = fitted(name)
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
