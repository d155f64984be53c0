"""Limit the number of words in the work."""

from dataclasses import dataclass

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Run, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """Configured by ``[evaluators.word-count] limit = 300``."""

    limit: int = 500

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Pass if the work is within the limit."""
        excess = len(work.text.split()) - self.limit
        if excess <= 0:
            return Evaluation(checks=(Check("word-count", passed=True),))
        fix = f"Remove {excess} words."
        finding = Finding(f"More than {self.limit} words", Severity.BLOCKER, rule="word-count", fix=fix)
        return Evaluation(checks=(Check("word-count", passed=False),), findings=(finding,))
