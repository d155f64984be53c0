"""A model as judge for OpenKoi, held to rubrics written in Markdown."""
