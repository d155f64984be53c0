"""Runs a project's own linters for OpenKoi: ruff, mypy, or what is configured."""
