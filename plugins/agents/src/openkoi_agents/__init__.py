"""Works as an agent was described: its instructions and approvals are a hook, a team of agents is a worker."""

from .as_described import AsDescribed
from .team import TeamWork

__all__ = ["AsDescribed", "TeamWork"]
