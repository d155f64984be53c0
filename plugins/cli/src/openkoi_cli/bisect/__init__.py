"""``openkoi bisect``: find the plugin that changed the result of a task."""
