"""What the word count promises."""

from word_count import WordCount

from openkoi_hookspecs import Decision
from openkoi_testing import EvaluatorContract, rehearse

SHORT = {"word-count": WordCount(limit=2)}


class TestContract(EvaluatorContract):
    subject = WordCount(limit=1)


def test_long_work_is_sent_back_until_it_is_short() -> None:
    result = rehearse("Sum up the report", says=["far too many words", "short"], evaluators=SHORT)

    assert "short" == result.text
    assert result.accepted


def test_the_executor_is_told_how_much_to_leave_out() -> None:
    result = rehearse("Sum up the report", says=["far too many words", "short"], evaluators=SHORT)

    assert ["Leave out 2 words."] == [finding.fix for finding in result.iterations[1].plan.feedback]


def test_work_that_stays_too_long_is_brought_to_a_person() -> None:
    result = rehearse("Sum up the report", says=["far too many words"], evaluators=SHORT)

    assert Decision.ESCALATE is result.ruling.decision
