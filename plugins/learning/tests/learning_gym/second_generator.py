"""Draw worlds for the gym in a second way, from the issue's text alone, without looking at the learner."""

from collections.abc import Mapping, Sequence
from random import Random

from learning_gym.second_actors import Evaluator, Habits, Model
from learning_gym.second_truth import Plan, Reader, SecondTruth, base_of, special
from learning_gym.second_words import Condition, Domain, domains
from openkoi_hookspecs import Evaluation
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.world import GymTask, Prompt, Truth, World

SEED = 20261126
TASKS = 200  # as many as a caller is expected to run: a drift lies near the middle of them
CONDITION_SHARE = 0.35  # GUESS: an exception should be rarer than its rule
Rights = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The structure of a world, as it was drawn.

    ``facts`` are the subjects of a task, of which ``wide`` are the same in every task of the project. With ``shared``
    topics they overlap. ``drift`` is the share of facts that change, 0 without a drift. ``names_condition`` is how
    often a finding says when it holds, where there is an exception. A ``stubborn`` evaluator's wrong advice about a
    fact is the same each time.
    """

    domain: int
    facts: int
    wide: int
    shared: bool
    topics: int
    kinds: int
    projects: int
    exceptions: int
    names_condition: float
    checks: str
    findings: str
    wording: str
    layout: str
    wrong_advice: float
    stubborn: bool
    platitudes: float
    drift: float
    drifts_at: int
    knows: float
    obeys: float
    wavers: float


def draw_second_worlds(count: int = 60, seed: int = SEED, *, tasks: int = TASKS) -> list[World]:
    """Draw worlds. Where a world drifts, it does so between 40 and 60 % of the tasks."""
    return [draw_second_world(f"{seed}-{number}", tasks=tasks) for number in range(count)]


def draw_second_world(seed: str, *, tasks: int = TASKS) -> World:
    """Draw the world of a seed."""
    return build_world(seed, draw_features(Random(f"{seed}/features"), tasks=tasks))


def draw_features(rng: Random, *, tasks: int = TASKS) -> Features:
    """Draw the structure of a world."""
    facts = rng.randint(1, 6)
    drifts = rng.random() < 2 / 3
    return Features(
        domain=rng.randrange(len(domains())),
        facts=facts,
        wide=rng.randint(0, min(2, facts - 1)),
        shared=rng.random() < 0.5,
        topics=rng.randint(3, 6),
        kinds=rng.randint(1, 4),
        projects=rng.choice((1, 1, 2)),
        exceptions=rng.choice((0, 0, 1, 2, 3)),
        names_condition=rng.choice((1.0, 0.7, 0.0)),
        checks=rng.choice(("per fact", "per task", "none")),
        findings=rng.choice(("rule", "dimension", "free text")),
        wording=rng.choice(("templates", "synonyms", "both")),
        layout=rng.choice(("title", "detail", "fix")),
        wrong_advice=rng.choice((0.0, *(round(rng.uniform(0.0, 0.3), 2) for _ in range(3)))),
        stubborn=rng.random() < 0.3,
        platitudes=rng.choice((0.0, round(rng.uniform(0.1, 0.4), 2))),
        drift=round(rng.uniform(0.1, 0.5), 2) if drifts else 0.0,
        drifts_at=rng.randint(tasks * 2 // 5, tasks * 3 // 5) if drifts else -1,
        knows=round(rng.uniform(0.0, 0.8), 2),
        obeys=round(rng.uniform(0.6, 1.0), 2),
        wavers=round(rng.uniform(0.0, 0.2), 2),
    )


def build_world(seed: str, features: Features) -> "SecondWorld":
    """Build a world from a structure: its model, its evaluator, and its truth."""
    rng = Random(f"{seed}/world")
    plan = draw_plan(features, rng)
    rights = draw_rights(plan, rng)
    truth = SecondTruth(
        Reader(plan), rights, later=draw_drift(plan, rights, share=features.drift, rng=rng), wrong=features.wrong_advice
    )
    habits = Habits(draw_habits(plan, rights, knows=features.knows, rng=rng), features.obeys, features.wavers)
    return SecondWorld(seed, features, truth=truth, habits=habits)


def draw_plan(features: Features, rng: Random) -> Plan:
    """Draw which subjects the topics need."""
    domain = domains()[features.domain]
    names = [one.name for one in domain.subjects]
    rng.shuffle(names)
    wide, rest = tuple(names[: features.wide]), names[features.wide :]
    topics = draw_topics(features, domain, rest=rest, rng=rng)
    used = sorted({*wide, *(name for needed in topics.values() for name in needed)})
    exceptional = rng.sample(used, min(features.exceptions, len(used)))
    exceptions: dict[str, Condition] = {name: rng.choice(domain.conditions) for name in exceptional}
    projects = tuple(rng.sample(domain.projects, features.projects))
    return Plan(domain=domain, projects=projects, wide=wide, topics=topics, exceptions=exceptions)


def draw_topics(
    features: Features, domain: Domain, *, rest: Sequence[str], rng: Random
) -> Mapping[str, tuple[str, ...]]:
    """Draw the subjects of each topic: from one pool, or each topic its own."""
    own = features.facts - features.wide
    topics = rng.sample(domain.topics, features.topics)
    if features.shared:
        pool = rest[: own + 2]
        return {topic: tuple(rng.sample(pool, own)) for topic in topics}
    most = min(len(topics), len(rest) // own)
    return {topic: tuple(rest[i * own : (i + 1) * own]) for i, topic in enumerate(topics[:most])}


def options(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return every subject that can be right or wrong, exceptions too, with its values."""
    found: dict[str, tuple[str, ...]] = {}
    for subject in plan.used:
        found[subject.name] = subject.values
        if subject.name in plan.exceptions:
            found[special(subject.name, plan.exceptions[subject.name])] = subject.values
    return found


def draw_rights(plan: Plan, rng: Random) -> Rights:
    """Draw what is right: in two projects the opposite, and in an exception something else than the rule."""
    rights: Rights = {}
    for project in plan.projects:
        for subject, values in options(plan).items():
            rights[project, subject] = rng.choice(free_values(plan, rights, (project, subject), values))
    return rights


def free_values(plan: Plan, rights: Rights, key: tuple[str, str], values: Sequence[str]) -> list[str]:
    """Return a fact's possible values, apart from those that are right elsewhere and not its own."""
    project, subject = key
    base = base_of(subject)
    kin = {base, special(base, plan.exceptions[base])} if base in plan.exceptions else {base}
    keys = {(project, one) for one in kin} | {(one, subject) for one in plan.projects}
    taken = {rights[one] for one in keys if one in rights}
    return [value for value in values if value not in taken]


def draw_drift(plan: Plan, rights: Rights, *, share: float, rng: Random) -> Rights:
    """Draw what changes when the world drifts."""
    if share <= 0:
        return {}
    later, all_values = dict(rights), options(plan)
    changed = rng.sample(sorted(rights), max(1, round(share * len(rights))))
    for key in changed:
        later[key] = rng.choice(free_values(plan, later, key, all_values[key[1]]))
    return {key: later[key] for key in changed}


def draw_habits(plan: Plan, rights: Rights, *, knows: float, rng: Random) -> Rights:
    """Draw the model's habits: the right value if it knows that, else another one."""
    known = set(rng.sample(sorted(rights), round(knows * len(rights))))
    all_values, habits = options(plan), Rights()
    for key, right in rights.items():
        wrong = [value for value in all_values[key[1]] if value != right]
        as_usual = habits.get((key[0], base_of(key[1])), right)
        habits[key] = right if key in known else as_usual if as_usual != right else rng.choice(wrong)
    return habits


class SecondWorld:
    """A drawn world."""

    def __init__(self, seed: str, features: Features, *, truth: SecondTruth, habits: Habits) -> None:
        """Start before the first task."""
        self.seed, self.features, self.plan = seed, features, truth.plan
        self._truth, self._number, self._looks = truth, -1, 0
        self._tasks = Random(f"{seed}/tasks")
        self._model = Model(seed, truth.reader, habits=habits)
        self._evaluator = Evaluator(seed, truth, style=features)
        kinds = self._tasks.sample(sorted(self.plan.domain.kinds), min(features.kinds, len(self.plan.topics)))
        self._kinds = tuple(kinds)

    @property
    def name(self) -> str:
        """Return a short name with the seed."""
        return f"second-{self.plan.domain.name}-{self.seed}"

    @property
    def family(self) -> str:
        """Return the group of worlds with this evaluator."""
        checks = "judge only" if self.features.checks == "none" else f"checks {self.features.checks}"
        return f"{checks}, {self.features.findings}"

    @property
    def drifts_at(self) -> int:
        """Return the number of the first task after the drift, or -1."""
        return self.features.drifts_at

    @property
    def path(self) -> str:
        """Return the file of the work; empty if the work is text."""
        return self.plan.domain.path

    @property
    def truth(self) -> Truth:
        """Return the truth."""
        return self._truth

    def next_task(self) -> GymTask:
        """Return the next task; drift first if that is due."""
        self._number += 1
        if self._number == self.drifts_at:
            self._truth.drift()
        turn = self._number % len(self._kinds)
        topic = self._tasks.choice(list(self.plan.topics)[turn :: len(self._kinds)])
        kind = self._kinds[turn]
        return GymTask(self._tasks.choice(self.plan.projects), self._task_text(kind, topic), kind)

    def _task_text(self, kind: str, topic: str) -> str:
        """Word a task."""
        domain, rng = self.plan.domain, self._tasks
        details = [rng.choice(one.task) for one in domain.conditions if rng.random() < CONDITION_SHARE]
        what = ", ".join((f"{domain.kinds[kind]} {domain.job} {topic}", *details))
        return f"{what} (no. {rng.randint(1_000, 9_999)})."

    def attempt(self, prompt: Prompt) -> str:
        """Return the model's work."""
        return self._model.write(prompt, number=self._number)

    def evaluate(self, task: GymTask, work: str, *, first: bool) -> Evaluation:
        """Return the evaluation."""
        self._looks = 0 if first else self._looks + 1
        return self._evaluator.judge(task, work, stream=f"{self._number}/{self._looks}")
