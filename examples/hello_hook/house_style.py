"""Add our house style to prompts."""

from openkoi_hookspecs import Layer, Section, Task, hookimpl


@hookimpl
def before_plan(task: Task) -> list[Section]:
    """Add our style to every prompt about text."""
    if task.category == "code":
        return []
    return [Section("house-style", "Write British English. No exclamation marks.", layer=Layer.PROJECT)]
