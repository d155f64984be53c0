"""The test runner keeps what every evaluator promises."""

from openkoi_testing.contracts.evaluator import EvaluatorContract
from openkoi_testrunner import TestRunner


class TestContract(EvaluatorContract):
    subject = TestRunner(command="echo 'Error: the pond is dry'; exit 1")
