"""Run a task with a team of agents (multi-agent)."""

from dataclasses import replace

from openkoi_hookspecs import ConfigError, ExecutionResult, Finding, Plan, Run, StopReason, Task
from openkoi_hookspecs.events import InnerLoopEnded

from .strategies import STRATEGIES
from .sub_agent import NeedsUserError, TeamResult, TeamRun


class TeamWork:
    """Lets the members of ``run.task.agent.team`` do the task. Has no settings."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Do the task as a team, and return the last message. Used-up rounds end it like used-up cycles."""
        agent = run.task.agent
        if agent is None or agent.team is None or not agent.team.members:
            raise ConfigError("The worker 'team' needs an agent with a team: list the members under composite.agents.")
        try:
            close = await STRATEGIES[agent.team.strategy](
                agent.team, TeamRun(run, agent, with_feedback(run.task, plan))
            )
        except NeedsUserError as wanted:
            close = TeamResult(str(wanted), "needs-person", StopReason.PERSON)
        await run.emit(InnerLoopEnded(close.why))
        return ExecutionResult(close.text, ended=close.ended)


def with_feedback(task: Task, plan: Plan) -> Task:
    """Return the task with the findings of the last evaluation."""
    wishes = [*map(format_finding, plan.feedback), *filter(None, (plan.suggestion,))]
    if not wishes:
        return task
    return replace(
        task,
        text="\n".join(
            [
                task.text,
                "",
                "This task was already attempted. Fix the remaining problems below, verify the result, "
                "and give an answer that covers the whole task:",
                *wishes,
            ]
        ),
    )


def format_finding(finding: Finding) -> str:
    place = f" ({finding.where})" if finding.where else ""
    return f"- {finding.title}{place}: {finding.fix or finding.detail or 'fix this'}"
