"""The loop of OpenKoi, and nothing that a plugin can bring."""
