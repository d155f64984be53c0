"""`openkoi demo`: the main job on a small project, with a scripted model and everything else real."""
