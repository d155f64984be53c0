"""Show the model the skills that fit a task: instructions for a kind of work, in SKILL.md files."""

from .hook import Skills

__all__ = ["Skills"]
