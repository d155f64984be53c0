"""The assistant: a daemon that hosts apps, does the tasks that arrive in them, and answers there."""
