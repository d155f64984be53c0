"""Runs OpenKoi's commands and leaves no process behind."""
