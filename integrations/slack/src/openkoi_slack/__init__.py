"""Slack as an app: a bot in a workspace, over the Web API and Socket Mode."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .slack import Slack as Slack
