"""A scripted model for OpenKoi's demo, tests and examples."""
