"""Test lint with the contract of all evaluators."""

from openkoi_lint import Lint
from openkoi_testing.contracts.evaluator import EvaluatorContract


class TestContract(EvaluatorContract):
    subject = Lint()
