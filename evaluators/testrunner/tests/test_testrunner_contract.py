"""Test the test runner with the contract of all evaluators."""

from openkoi_testing.contracts.evaluator import EvaluatorContract
from openkoi_testrunner import TestRunner


class TestContract(EvaluatorContract):
    subject = TestRunner(command="echo 'Error: the pond is dry'; exit 1")
