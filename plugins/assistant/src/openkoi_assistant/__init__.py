"""The assistant: a daemon that hosts apps, runs the tasks users send through them, and replies there."""
