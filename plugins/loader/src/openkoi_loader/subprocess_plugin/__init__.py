"""Run a plugin in a process of its own: it can neither end, block nor change the process of OpenKoi."""
