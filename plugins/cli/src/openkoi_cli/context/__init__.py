"""``openkoi context``: the prompt of a task in its layers, without calling a model."""
