"""The evaluator of a plugin."""

from openkoi_base.plain_facts import from_plain, to_plain
from openkoi_hookspecs import Evaluation, ExecutionResult, Run

from .plugin import Adapter, WasmPlugin
from .run_fields import run_fields


class WasmEvaluator(Adapter):
    """Passes the work to a module, and returns the module's evaluation."""

    def __init__(self, plugin: WasmPlugin) -> None:
        super().__init__(plugin)
        self.judges = (plugin.manifest.evaluator or {}).get("judges") is True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Evaluate the work; return None if the module returns no evaluation."""
        if not await self.plugin.consent.ask(run):
            return None
        fields = {"task": to_plain(run.task), "work": to_plain(work), "run": run_fields(run)}
        found = await self.plugin.call("evaluate", fields, run)
        if found is None:
            return None
        evaluation: Evaluation = from_plain(found, Evaluation)
        return evaluation
