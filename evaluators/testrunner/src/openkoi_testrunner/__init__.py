"""Runs a project's own tests for OpenKoi: pytest, unittest, node, cargo, go, make."""
