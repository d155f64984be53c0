"""What can be said of an execution in four facts, read from its records. Knows events; knows no evaluator."""

from collections.abc import Iterable
from dataclasses import dataclass

from openkoi_hookspecs import ExecutionResult, Record
from openkoi_hookspecs.events import InnerLoopEnded, IterationFinished, ModelResponse, ToolCallFinished

from .evidence import Evidence


@dataclass(frozen=True, slots=True)
class Extract:
    """The last words, the last tool's result, how many calls of the model it took, and why it ended."""

    text: str
    final_tool_result: str = ""
    cycles: int = 0
    terminated_by: str = ""

    @property
    def named(self) -> dict[str, str]:
        """Each of them as text, by the name that evaluators use."""
        return {
            "text": self.text,
            "finalToolResult": self.final_tool_result,
            "cycles": str(self.cycles),
            "terminatedBy": self.terminated_by,
        }

    def shown(self) -> list[Evidence]:
        """What a judge sees of them beside the work."""
        return [Evidence(name, text) for name, text in self.named.items() if name != "text" and text]


def extract(work: ExecutionResult, records: Iterable[Record], run: str) -> Extract:
    """Read them from a session's log; cycles are those of the last execution."""
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
    return Extract(work.text, result, cycles, ended)
