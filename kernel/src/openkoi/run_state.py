"""The state of a run: its tools, its baseline, and the calls and sub-tasks that plugins and agent runners start."""

import asyncio
from collections import Counter
from dataclasses import field

from openkoi_hookspecs import Baseline, Tool
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class RunTools:
    """The tools of a run, once they are ``listed``; a model is offered some of them."""

    all: tuple[Tool, ...] = ()
    offered: tuple[Tool, ...] = ()
    listed: bool = False


@dataclass(slots=True)
class BaselineState:
    """The results of checks before the first change, once they are ``taken``.

    ``unkept`` is the user's answer if no checkpoint could be saved.
    """

    by_evaluator: dict[str, Baseline] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    taken: bool = False
    unkept: bool | None = None


@dataclass(slots=True)
class RunActivity:
    """Counters of tool calls by plugins and of sub-tasks; whether an agent runner is working or waits for the user."""

    plugin_calls: Counter[str] = field(default_factory=Counter)
    subtasks: int = 0
    runner_working: bool = False
    needs_user: bool = False
