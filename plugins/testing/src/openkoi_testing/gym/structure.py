"""Draw the structure of a world: how tasks, findings, checks, models and changes are, each at random from a seed."""

from random import Random

from openkoi_hookspecs.lazy_dataclass import dataclass

from .words import ASPECTS, CONDITIONS, LINTERS, PLAIN, STEMS, TOPICS

CHECKS = ("fact", "task", "none")
FORMS = ("rule", "dimension", "templates", "synonyms", "linter")
FAMILIES = tuple((checks, form) for form in FORMS for checks in CHECKS)
DIMENSIONS = ("correctness", "completeness", "style")
VALUES = 4  # of a subject: right in one project, right in the other, right after a drift, never right


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The parameters of a world.

    ``checks``: one for each fact, one for a task, or none. ``form``: a finding is identified by a rule, by a dimension
    that many share, by its words alone, from ten templates or with synonyms too, or by a code and the one sentence of a
    ``linter``, which quotes what it found and what it expects. ``facts`` is how many subjects a task needs at most.
    They belong to one topic (``shared``) or to as many topics.
    """

    checks: str
    form: str
    facts: int
    shared: bool
    topics: int
    kinds: int
    project_wide: int
    projects: int
    one_rule: bool
    reworded: bool
    advised_in: str
    silent: float
    wrong_advice: float
    noise: float
    platitudes: float
    conditions: float
    drift: float
    knows: float
    obeys: float
    file: bool
    linter: int

    @property
    def family(self) -> str:
        """The group in which worlds are compared."""
        return f"{self.form}, checks per {self.checks}"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that applies in a project: an aspect of a topic, or of everything; and its possible values.

    Under a ``condition`` another value is right.
    """

    key: str
    aspect: int
    topic: int
    values: tuple[str, ...]
    condition: int = -1


def draw_structure(seed: int) -> Structure:
    """Draw the parameters of a world; fifteen seeds in a row are of fifteen families."""
    random = Random(f"structure {seed}")
    checks, form = FAMILIES[seed % len(FAMILIES)]
    facts, shared = random.randint(1, 6), random.random() < 0.5
    return Structure(
        checks=checks,
        form=form,
        facts=facts,
        shared=shared,
        topics=random.randint(4, 6 if shared and facts > 3 else 12),
        kinds=random.randint(1, 4),
        project_wide=random.choice((0, 0, 1, 2)),
        projects=random.choice((1, 2)),
        one_rule=random.random() < 0.3,
        reworded=form == "synonyms" or random.random() < 0.5,
        advised_in=random.choice(("fix", "fix", "detail", "title")),
        silent=random.choice((0.0, 0.1, 0.2)),
        wrong_advice=random.uniform(0.0, 0.3),
        noise=random.uniform(0.0, 0.05),
        platitudes=random.uniform(0.0, 0.4),
        conditions=random.choice((0.0, 0.2, 0.4)),
        drift=random.uniform(0.1, 0.5),
        knows=random.uniform(0.0, 0.8),
        obeys=random.uniform(0.6, 1.0),
        file=random.random() < 0.5,
        linter=random.randrange(len(LINTERS)),
    )


def draw_facts(like: Structure, random: Random) -> tuple[Fact, ...]:
    """Draw the facts of a world."""
    topics = random.sample(range(len(TOPICS)), like.topics)
    each = max(1, like.facts - like.project_wide) if like.shared else 1
    places = [(topic, aspect) for topic in topics for aspect in random.sample(range(len(ASPECTS)), each)]
    places += [(-1, aspect) for aspect in random.sample(range(len(ASPECTS)), like.project_wide)]
    style, pool = random.choice(("name", "option", "number", "words")), list(range(len(STEMS) * len(PLAIN)))
    random.shuffle(pool)
    return tuple(
        Fact(
            f"s{number}",
            aspect,
            topic,
            tuple(write_value(style, pool.pop()) for _ in range(VALUES)),
            random.randrange(len(CONDITIONS)) if topic >= 0 and random.random() < like.conditions else -1,
        )
        for number, (topic, aspect) in enumerate(places)
    )


def write_value(style: str, number: int) -> str:
    """Write the value of a number, unlike that of any other: a name, an option, a number with a unit, or two words."""
    word, stem = PLAIN[number // len(STEMS)], STEMS[number % len(STEMS)]
    forms = {"name": f"`{word}_{stem}`", "option": f"--{word}-{stem}", "number": f"{100 + number} units"}
    return forms.get(style, f"{word} {stem}")


def kind_of(topic: int, kinds: int) -> int:
    """Return the kind of tasks that a topic occurs in."""
    return topic % kinds
