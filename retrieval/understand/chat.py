"""A chat model that answers questions about questions in a form."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from retrieval.errors import ModelError, QueryAnalysisError
from retrieval.models.chat import Asked
from retrieval.models.openai_client import OpenAiClient

if TYPE_CHECKING:
    from retrieval.models.openai_client import GivenClient

Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Chat:
    """A client of a chat server, and how it is asked."""

    client: "OpenAiClient | GivenClient"
    """Ours, OpenAI's, or any with the interface of that."""
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
        request = Asked(self.model, (("system", told), ("user", asked)), self.max_tokens, self.temperature, form)
        try:
            client = self.client if isinstance(self.client, OpenAiClient) else OpenAiClient.over(self.client)
            answer = client.chat(request)
            if answer.refusal:
                raise QueryAnalysisError(f"{self.model} refused the question: {answer.refusal}")
            if answer.finish == "length":
                raise QueryAnalysisError(
                    f"the answer of {self.model} was cut at {self.max_tokens} tokens; raise llm_max_tokens"
                )
            return form.model_validate_json(answer.content), answer.usage.total
        except ModelError as error:
            raise QueryAnalysisError(str(error)) from error
        except ValidationError as error:
            raise QueryAnalysisError(f"{self.model} did not answer in the asked form: {error}") from error
