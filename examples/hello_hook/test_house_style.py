"""Test that the house style is in the prompts it is meant for."""

import house_style

from openkoi_testing import run_task


def test_the_style_is_in_the_prompt_and_says_where_it_came_from() -> None:
    result = run_task("Write a letter", says=["Dear sir"], plugins={"house-style": house_style})

    assert ("house-style", "house-style") in [(s.name, s.source) for s in result.iterations[0].plan.sections]
