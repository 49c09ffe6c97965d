"""A chat model that answers in a form: the one place where `understand` talks to a server."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from retrieval.errors import QueryAnalysisError

if TYPE_CHECKING:
    from openai import OpenAI

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Chat:
    """An OpenAI client, or any with its interface, and how it is asked."""

    client: "OpenAI"
    model: str
    temperature: float
    max_tokens: int
    """Of one answer."""

    def ask(self, told: str, asked: str, form: type[Form]) -> tuple[Form, int]:
        """The answer in its form, and how many tokens were used for it.

        Args:
            told: the system's message.
            asked: the user's message.
            form: what the answer must be; forbids other fields.

        Raises:
            QueryAnalysisError: the server cannot be reached or refuses, or what it answers is not of the asked form.
        """
        import openai

        try:
            answer = self.client.chat.completions.create(
                model=self.model,
                temperature=self.temperature,
                max_tokens=self.max_tokens,
                messages=[{"role": "system", "content": told}, {"role": "user", "content": asked}],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": form.model_json_schema()},
                },
            )
            choice = answer.choices[0]
            if choice.message.refusal:
                raise QueryAnalysisError(f"{self.model} refused the question: {choice.message.refusal}")
            if choice.finish_reason == "length":
                raise QueryAnalysisError(
                    f"the answer of {self.model} was cut at {self.max_tokens} tokens; raise llm_max_tokens"
                )
            used = answer.usage.total_tokens if answer.usage else 0
            return form.model_validate_json(choice.message.content or ""), used
        except openai.OpenAIError as error:
            raise QueryAnalysisError(
                f"{self.model} could not be asked ({type(error).__name__}: {error}); "
                "check the key, the address and the network"
            ) from error
        except (ValidationError, IndexError) as error:
            raise QueryAnalysisError(f"{self.model} did not answer in the asked form: {error}") from error
