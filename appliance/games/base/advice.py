"""Makes remarks and questions with typed codes. Each referee lists its codes once, in its `codes.py`."""

from __future__ import annotations

from typing import Generic, Literal

from appliance.games.base.rules.codes import CodeT
from appliance.games.protocol import Json, Question, Remark


class Remarks(Generic[CodeT]):
    """Makes the remarks of one referee: `remark = Remarks[RemarkCode]()`."""

    def __call__(self, topic: str, code: CodeT | Literal[""], values: dict[str, Json] | None = None) -> Remark:
        """Return the remark `code` of a topic, with values for its sentence; "" removes the topic's remark."""
        return Remark(topic=topic, code=code, values=values or {})


class Questions(Generic[CodeT]):
    """Makes the questions of one referee: `question = Questions[QuestionCode]()`."""

    def __call__(self, prompt: str, code: CodeT, values: dict[str, Json] | None = None) -> Question:
        """Return a question: `code` is the reason why people must answer `prompt`, with values for its sentence."""
        return Question(prompt=prompt, code=code, values=values or {})
