"""Test that work with too many words is rejected."""

from word_count import WordCount

from openkoi_hookspecs import Evaluation, ExecutionResult, NextAction, Run, Score
from openkoi_testing import EvaluatorContract, run_task


class Content:
    """A judge that accepts any work."""

    judges = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        return Evaluation(scores=(Score("quality", 1.0),))


SHORT = {"word-count": WordCount(limit=2)}
JUDGED = {**SHORT, "content": Content()}


class TestContract(EvaluatorContract):
    subject = WordCount(limit=1)


def test_long_work_is_sent_back_until_it_is_short() -> None:
    result = run_task("Shorten the report", says=["far too many words", "short"], evaluators=JUDGED)

    assert "short" == result.text
    assert result.accepted


def test_a_passing_check_alone_does_not_accept_what_changed_nothing() -> None:
    result = run_task("Shorten the report", says=["short"], evaluators=SHORT)

    assert not result.accepted
    assert result.iterations[0].evaluation is not None
    assert result.iterations[0].evaluation.green


def test_the_executor_is_told_how_much_to_leave_out() -> None:
    result = run_task("Shorten the report", says=["far too many words", "short"], evaluators=SHORT)

    assert ["Remove 2 words."] == [finding.fix for finding in result.iterations[1].plan.feedback]


def test_work_that_stays_too_long_is_brought_to_a_person() -> None:
    result = run_task("Shorten the report", says=["far too many words"], evaluators=SHORT)

    assert NextAction.ESCALATE is result.decision.action
