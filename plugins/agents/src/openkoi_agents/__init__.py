"""Run described agents: a hook adds instructions and approvals, a worker runs teams."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .agent_hook import AgentHook as AgentHook
    from .team import TeamWork as TeamWork
