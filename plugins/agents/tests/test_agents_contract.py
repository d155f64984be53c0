"""Teams do what every agent runner promises."""

from openkoi_agents import TeamWork
from openkoi_hookspecs import Agent, Strategy, Team, ToolCall
from openkoi_testing import AgentRunnerContract

WRITES = ToolCall("w", "write_file", {"path": "pond.md", "content": "Two metres."})


def team(strategy: Strategy, *names: str) -> Agent:
    return Agent(name="team", team=Team(strategy=strategy, members=tuple(Agent(name=name) for name in names)))


class TestSequentialTeam(AgentRunnerContract):
    subject = TeamWork()
    agent = team(Strategy.SEQUENTIAL, "digger", "painter")


class TestParallelTeam(AgentRunnerContract):
    subject = TeamWork()
    agent = team(Strategy.PARALLEL, "digger", "painter")


class TestTeamThatChangesFiles(AgentRunnerContract):
    subject = TeamWork()
    agent = team(Strategy.SEQUENTIAL, "digger", "painter")
    says = (WRITES, "It is deeper.")
