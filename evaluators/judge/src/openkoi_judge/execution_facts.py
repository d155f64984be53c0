"""Read four facts about an execution from its records."""

from collections.abc import Iterable

from openkoi_hookspecs import ExecutionResult, Record
from openkoi_hookspecs.events import InnerLoopEnded, IterationFinished, ModelResponse, ToolCallFinished
from openkoi_hookspecs.lazy_dataclass import dataclass

from .evidence import Evidence


@dataclass(frozen=True, slots=True)
class ExecutionFacts:
    """The response, the last tool result, the number of model calls, and why the execution ended."""

    text: str
    final_tool_result: str = ""
    cycles: int = 0
    terminated_by: str = ""

    @property
    def by_name(self) -> dict[str, str]:
        """Each fact as text, by the name that evaluators use."""
        return {
            "text": self.text,
            "finalToolResult": self.final_tool_result,
            "cycles": str(self.cycles),
            "terminatedBy": self.terminated_by,
        }

    def format(self) -> list[Evidence]:
        """Return the facts that a judge sees besides the work."""
        return [Evidence(name, text) for name, text in self.by_name.items() if name != "text" and text]


def read_facts(work: ExecutionResult, records: Iterable[Record], run: str) -> ExecutionFacts:
    """Read the facts from a session's log; cycles are those of the last execution."""
    result, cycles, ended = "", 0, ""
    for record in records:
        event = record.event
        if record.run != run:
            continue
        if isinstance(event, IterationFinished):
            cycles = 0
        elif isinstance(event, ModelResponse) and event.role == "executor":
            cycles += 1
        elif isinstance(event, ToolCallFinished) and not event.by_plugin:
            result = event.result.text
        elif isinstance(event, InnerLoopEnded):
            ended = event.reason
    return ExecutionFacts(work.text, result, cycles, ended)
