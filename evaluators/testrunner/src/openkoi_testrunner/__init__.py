"""Run a project's own tests with its test runner: pytest, unittest, vitest, jest, mocha, node, cargo, go, make."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .evaluator import TestRunner as TestRunner
