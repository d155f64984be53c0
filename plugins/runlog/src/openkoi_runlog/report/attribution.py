"""Attribute what a run did to plugins, hooks, models, tools and learnings: seconds, prompt text, tokens, decisions."""

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from openkoi_base.counts import format_count
from openkoi_hookspecs import Evaluation, Event, Learning, Record, Section, events
from openkoi_hookspecs.lazy_dataclass import dataclass

ADDS_SECTIONS = frozenset({"before_plan", "before_execute", "before_evaluate"})
REPLACES = frozenset({"after_recall", "after_plan", "after_tool", "after_execute", "after_evaluate", "on_learning"})
DECISIONS = {"Deny": "denied call", "Ask": "call to approve"}


@dataclass(slots=True)
class PluginShare:
    """What a plugin did: calls of its hooks, their seconds, the characters that it put into prompts, decisions.

    ``hooks`` are the shares of its hooks; decisions of an evaluator belong to no hook.
    """

    calls: int = 0
    seconds: float = 0.0
    characters: int = 0
    decisions: dict[str, int] = field(default_factory=dict)
    hooks: "dict[str, PluginShare]" = field(default_factory=dict)

    def decide(self, what: str) -> None:
        """Count a decision."""
        self.decisions[what] = self.decisions.get(what, 0) + 1


@dataclass(slots=True)
class ModelShare:
    """What one model cost in one role."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0


@dataclass(slots=True)
class ToolShare:
    """How often one tool was called, for how long, and how many of its calls failed."""

    calls: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Attribution:
    """The shares of a run: plugins and tools by name, models by role and name, and the learnings that were shown."""

    plugins: dict[str, PluginShare] = field(default_factory=dict)
    models: dict[tuple[str, str], ModelShare] = field(default_factory=dict)
    tools: dict[str, ToolShare] = field(default_factory=dict)
    learnings: list[Learning] = field(default_factory=list)
    called_tools: dict[str, str] = field(default_factory=dict)
    counted: bool = False

    def plugin(self, name: str) -> PluginShare:
        """Return the share of a plugin."""
        return self.plugins.setdefault(name, PluginShare())

    def plugin_and_hook(self, plugin: str, hook: str) -> tuple[PluginShare, PluginShare]:
        """Return the share of a plugin and that of one of its hooks."""
        share = self.plugin(plugin)
        return share, share.hooks.setdefault(hook, PluginShare())

    def add_event(self, event: Event) -> None:
        """Add one event of the run."""
        match event:
            case events.HookReturned():
                self.add_answer(event)
            case events.HooksCalled(activity=activity):
                for one in activity:
                    for share in self.plugin_and_hook(one.plugin, one.hook):
                        share.calls += one.calls
                        share.seconds += one.seconds
            case events.RecallFinished(recall=recall):
                self.learnings = [hit.item for hit in recall.hits if isinstance(hit.item, Learning)]
            case events.EvaluationFinished(evaluation=evaluation):
                self.add_evaluation(evaluation)
            case events.ModelResponse() | events.ModelResponseBroken():
                self.add_charge(event)
            case events.ToolCallStarted(call=call):
                self.called_tools[call.id] = call.tool
            case events.ToolCallFinished(result=result):
                self.add_result(result.call, result.milliseconds / 1000, failed=result.failed)

    def add_answer(self, answered: events.HookReturned) -> None:
        """Add what a hook returned: sections are prompt text, anything else is a decision."""
        for share in self.plugin_and_hook(answered.plugin, answered.hook):
            if not self.counted:
                share.calls += 1
                share.seconds += answered.microseconds / 1e6
            if answered.hook in ADDS_SECTIONS:
                share.characters += sum(len(section_text(one)) for one in answered.answer)
            elif decision := describe_decision(answered):
                share.decide(decision)

    def add_evaluation(self, evaluation: Evaluation) -> None:
        """Add failed checks and findings to the evaluators that reported them."""
        for check in evaluation.checks:
            if check.required and not check.passed:
                self.plugin(check.evaluator).decide("failed check")
        for finding in evaluation.findings:
            self.plugin(finding.evaluator).decide(f"{finding.severity} finding")

    def add_charge(self, paid: events.Paid) -> None:
        """Add a call of a model."""
        share = self.models.setdefault((paid.role, paid.model), ModelShare())
        share.calls += 1
        share.tokens += paid.usage.total
        share.usd += paid.usd
        share.seconds += paid.milliseconds / 1000 if isinstance(paid, events.ModelResponse) else 0.0

    def add_result(self, call: str, seconds: float, *, failed: bool) -> None:
        """Add the result of a tool call that was allowed."""
        if name := self.called_tools.get(call):
            share = self.tools.setdefault(name, ToolShare())
            share.calls += 1
            share.failed += failed
            share.seconds += seconds


def attribute(records: Iterable[Record], run: str) -> Attribution:
    """Return the shares of a run from its records."""
    own = [one.event for one in records if one.run == run]
    found = Attribution(counted=any(isinstance(one, events.HooksCalled) for one in own))
    for event in own:
        found.add_event(event)
    return found


def section_text(section: Any) -> str:
    """Return the text of a section, from a live event or from the log."""
    return section.text if isinstance(section, Section) else str(section.get("text", ""))


def describe_decision(answered: events.HookReturned) -> str:
    """Return what a hook's answer decided; empty if nothing."""
    if answered.hook in REPLACES:
        return f"{answered.hook} replacement"
    return DECISIONS.get(answered.kind, "")


def format_decisions(share: PluginShare) -> str:
    """Return a plugin's decisions in one line."""
    return ", ".join(format_count(count, what) for what, count in share.decisions.items())
