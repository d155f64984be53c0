"""Read SKILL.md files of skills and evaluators leniently, and write them strictly."""
