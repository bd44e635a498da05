"""All codes of remarks and questions of the referee of Smugglers. The sentences are in `pages/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.advice import Questions, Remarks

RemarkCode = Literal[
    "boss_misplaced",
    "compare_masses",
    "hourglass_unsure",
    "lift_off_pan",
    "other_sphere_on_pan",
    "put_on_pan",
    "rank_heaviest",
    "rank_next",
    "roll_for_tie",
    "rounding_over",
    "scale_too_coarse",
    "search_fence",
    "search_floor",
    "search_landing",
    "search_over",
    "wrong_sphere_on_pan",
]
DoubtCode = Literal[
    "beams_silent",
    "beams_unsure",
    "camera_silent",
    "camera_unsure",
    "lane_unseen",
    "senses_disagree",
    "wrong_sphere",
]
"""Why the sensors give no verdict on an attempt."""
QuestionCode = DoubtCode | Literal["die_unclear", "gems_unclear", "whose_sphere"]

remark = Remarks[RemarkCode]()
question = Questions[QuestionCode]()
