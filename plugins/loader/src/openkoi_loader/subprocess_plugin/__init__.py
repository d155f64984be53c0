"""Run a plugin in a separate process: it cannot end, block or change OpenKoi's process."""
