"""Build agents from files, with their members.

Reading continues after an error, so that all errors are reported at once.
"""

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import (
    Agent,
    BudgetExhausted,
    Condition,
    ConfigError,
    Strategy,
    Team,
    TextIncludes,
    ToolReturned,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from . import shape
from .checking import Part, check_shape
from .document import Path as Keys
from .document import SpecProblem, parse_document
from .shape import AgentShape
from .spec import Bounds, Spec
from .text_file import text_of

MAX_DEPTH, MAX_AGENTS = 7, 200
WORKER = "team"
UNUSED = {
    ("evaluation",): "a team is judged as a whole",
    ("model_policy", "budget", "tokens_per_run"): "the budget of a team's member is in dollars",
    ("model_policy", "budget", "seconds_per_run"): "the budget of a team's member is in dollars",
}


@dataclass(slots=True)
class Building:
    """The state of reading a file: the errors, the notes on unused keys, and the number of agents so far."""

    faults: list[SpecProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0

    def from_text(self, text: str, file: Path) -> Spec | None:
        """Return the agent of a file."""
        part = self.open_file(text, file)
        return self.build_spec(part, (resolve_path(file),)) if part else None

    def open_file(self, text: str, file: Path) -> Part | None:
        """Return the content of a file, if it is YAML."""
        document = parse_document(text, str(file))
        self.faults += document.faults
        return None if document.data is None and document.faults else Part(document)

    def build_spec(self, part: Part, trail: Sequence[Path], depth: int = 0) -> Spec | None:
        """Return an agent with its members; None if something is wrong with it."""
        self.count += 1
        members = self.build_members(part, trail, depth)
        found = check_shape(part, self.faults)
        if found is None:
            return None
        instructions = found.instructions or self.read_instructions(found.instructions_file, part)
        agent = agent_of(found, instructions, members)
        return Spec(agent=agent, bounds=bounds_of(found), description=found.identity.description, notes=(*self.notes,))

    def build_members(self, part: Part, trail: Sequence[Path], depth: int) -> list[Agent]:
        agents = part.at(("composite", "agents"))
        listed = agents if isinstance(agents, list) else []
        found: dict[str, Agent] = {}
        for number, one in enumerate(listed):
            path: Keys = ("composite", "agents", number)
            agent = self.build_member(one, path, part, trail, depth + 1)
            if agent and agent.name in found:
                self.blame(part, path, f"is a second agent named {agent.name!r}; agent names must be unique")
            elif agent:
                found[agent.name] = agent
        return [*found.values()]

    def build_member(self, one: object, path: Keys, part: Part, trail: Sequence[Path], depth: int) -> Agent | None:
        if depth > MAX_DEPTH or self.count >= MAX_AGENTS:
            self.blame(part, path, f"exceeds the limit of {MAX_AGENTS} agents or {MAX_DEPTH} levels of teams")
            return None
        if isinstance(one, str):
            return self.from_file(one, path, part, trail, depth)
        if not isinstance(one, dict):
            self.blame(part, path, "must be an agent (a table with identity), or the path of an agent file")
            return None
        inner = Part(part.document, (*part.path, *path))
        return self.add_member(inner, self.build_spec(inner, trail, depth))

    def from_file(self, name: str, path: Keys, part: Part, trail: Sequence[Path], depth: int) -> Agent | None:
        """Return a member from a separate file, whose path is relative to this file's folder."""
        file = Path(part.document.file).parent / name
        if resolve_path(file) in trail:
            circle = " -> ".join(one.name for one in [*trail, resolve_path(file)])
            self.blame(part, path, f"refers back to itself: {circle}")
            return None
        try:
            text = text_of(file)
        except ConfigError as error:
            self.blame(part, path, f"cannot be read: {str(error).removesuffix('.')}")
            return None
        inner = self.open_file(text, file)
        return self.add_member(inner, self.build_spec(inner, (*trail, resolve_path(file)), depth)) if inner else None

    def add_member(self, part: Part, spec: Spec | None) -> Agent | None:
        """Return a member; report keys that have no meaning in a team."""
        for path, why in UNUSED.items():
            if part.has(*path):
                name = ".".join(path)
                self.notes.append(f"{part.document.file}, line {part.line(*path)}: {name} has no effect here: {why}.")
        return spec.agent if spec else None

    def read_instructions(self, name: str, part: Part) -> str:
        """Return the text of a file in the agent's folder or below; other files are not meant for a model."""
        if not name:
            return ""
        folder = Path(part.document.file).parent
        file = folder / name
        if not resolve_path(file).is_relative_to(resolve_path(folder)):
            self.blame(part, ("instructions_file",), "must be in the folder of the agent's file, or in a subfolder")
            return ""
        try:
            return text_of(file)
        except ConfigError as error:
            self.blame(part, ("instructions_file",), f"cannot be read: {str(error).removesuffix('.')}")
            return ""

    def blame(self, part: Part, path: Keys, text: str) -> None:
        self.faults.append(part.make_problem(path, text))


def resolve_path(path: Path) -> Path:
    """Return a file's path with links resolved, or unchanged if that fails."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path.absolute()


def agent_of(found: AgentShape, instructions: str, members: Sequence[Agent]) -> Agent:
    iteration = found.iteration or shape.Iteration()
    return Agent(
        name=found.identity.name,
        version=found.identity.version,
        instructions=instructions.strip(),
        model=found.model_policy.model,
        tools=tuple(found.tools.allow),
        approvals=tuple(name for name, word in found.tools.approvals.items() if word == "always"),
        protected=tuple(found.tools.protected_paths),
        conditions=tuple(map(condition_of, iteration.termination_conditions)),
        context=iteration.context_window or 0,
        compactor=iteration.summary_strategy,
        cycles=iteration.max_cycles,
        usd=found.model_policy.budget.usd_per_run,
        worker=WORKER if found.composite else found.worker,
        team=team_of(found.composite, members) if found.composite else None,
    )


def condition_of(found: shape.Condition) -> Condition:
    match found:
        case shape.TextIncludes():
            return TextIncludes(found.text)
        case shape.ToolResult():
            return ToolReturned(tool=found.tool, exit_code=found.match.exit_code, contains=found.match.contains)
        case shape.BudgetExhausted():
            return BudgetExhausted()


def team_of(found: shape.Composite, members: Sequence[Agent]) -> Team:
    team = Team(strategy=Strategy(found.strategy), members=tuple(members))
    return team if found.rounds is None else Team(strategy=team.strategy, members=team.members, rounds=found.rounds)


def bounds_of(found: AgentShape) -> Bounds:
    """Return the limits that the file sets for the task. Without an evaluation the work runs once."""
    budget, judged = found.model_policy.budget, found.evaluation
    return Bounds(
        iterations=judged.max_iterations if judged else 0,
        cycles=found.iteration.max_cycles if found.iteration else None,
        tokens=budget.tokens_per_run,
        usd=budget.usd_per_run,
        seconds=budget.seconds_per_run,
        quality_threshold=judged.quality_threshold if judged else None,
    )
