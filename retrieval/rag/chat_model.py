"""Generated answers: the prompt, the stream of a chat model, and citations."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template

from retrieval.errors import GenerationError, ModelError, UnreadableSettingsError
from retrieval.models.access import Access
from retrieval.models.chat import ChatRequest, Heard, Usage
from retrieval.models.openai_client import CHECK, OpenAiClient
from retrieval.models.spending import ChatPrice
from retrieval.rag.passages import Citation, Passage


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """The next piece of a model's answer."""

    text: str
    usage: Usage = Usage()  # noqa: RUF009
    """Tokens of the whole answer, if the server reports them; only in the last piece."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A chat model of OpenAI, or of any server that supports its API.

    No request is repeated after the first piece of its answer has arrived.
    """

    model: str
    temperature: float = 0.0
    max_tokens: int = 800
    """The maximum number of tokens in one answer."""
    timeout: float = 60.0
    """Seconds to wait for the next piece."""
    access: Access = field(default_factory=Access)
    price: ChatPrice | None = None
    """None: unknown."""

    def tell(self, prompt: str) -> Iterator[AnswerPart]:
        """Yield the pieces of the answer to a prompt. Closing the iterator closes the connection.

        Raises:
            GenerationError: there is no key; the server cannot be reached, refuses, breaks off or sends garbage; the
                answer is empty, or cut off because it is too long.
        """
        state = _StreamedAnswer(self)
        try:
            with closing(self._client().stream(self._request(prompt))) as stream:
                for heard in stream:
                    if piece := state.heard(heard):
                        yield piece
            yield state.end()
        except ModelError as error:
            raise self._failed(error) from error

    async def tell_async(self, prompt: str) -> AsyncIterator[AnswerPart]:
        """Yield the pieces of `tell` without blocking the event loop; raises the same errors."""
        state = _StreamedAnswer(self)
        try:
            async with aclosing(self._client().stream_async(self._request(prompt))) as stream:
                async for heard in stream:
                    if piece := state.heard(heard):
                        yield piece
            yield state.end()
        except ModelError as error:
            raise self._failed(error) from error

    def require_key(self) -> None:
        """Check that there is a key that can be sent. Raises GenerationError."""
        try:
            self.access.require(self.model, "have the answer read from the books")
        except ModelError as error:
            raise self._failed(error) from error

    def _client(self) -> OpenAiClient:
        self.require_key()
        return OpenAiClient(self.access, timeout=self.timeout)

    def _request(self, prompt: str) -> ChatRequest:
        return ChatRequest(self.model, (("user", prompt),), self.max_tokens, self.temperature)

    def _failed(self, error: ModelError) -> GenerationError:
        if not self.access:
            return GenerationError(str(error))
        return GenerationError(
            f"{self.model} gave no answer ({error.reason}); {CHECK}, or have the answer read from the books"
        )


class _StreamedAnswer:
    """The state of one streamed answer."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._finish: str | None = None
        self._usage, self._any = Usage(), False

    def heard(self, piece: Heard) -> AnswerPart | None:
        if piece.usage:
            self._usage = piece.usage
        self._finish = piece.finish or self._finish
        if piece.refusal:
            raise GenerationError(f"{self._model.model} refused: {piece.refusal}")
        if not piece.text:
            return None
        self._any = True
        return AnswerPart(piece.text)

    def end(self) -> AnswerPart:
        """Return the last piece, which has the usage."""
        name = self._model.model
        if self._finish == "length":
            raise GenerationError(
                f"the answer of {name} was cut off at {self._model.max_tokens} tokens; raise max_tokens"
            )
        if self._finish is None:
            raise GenerationError(f"{name} stopped in the middle of its answer; ask again")
        if not self._any:
            raise GenerationError(f"{name} gave an empty answer; ask again, or have the answer read from the books")
        return AnswerPart("", self._usage)


_QUOTE = "> "
"""Begins each line of a passage except the one with its number, so that no text can end its passage or begin
another."""


def format_prompt(
    query: str,
    passages: Sequence[Passage],
    template: Path | None = None,
) -> str:
    """Return the prompt for a question and its passages, each quoted below a line `[1] book > heading`.

    Args:
        passages: in the order in which they are shown.
        template: a file with `$context` and `$question`; None: the built-in template.

    Raises:
        UnreadableSettingsError: the template cannot be read, or does not have exactly these two placeholders.
    """
    context = "\n\n".join(map(_shown, passages))
    chosen = _shipped() if template is None else _read(template)
    return chosen.substitute(context=context, question=_one_line(query))


def _shown(passage: Passage) -> str:
    chunk = passage.hit.chunk
    page = chunk.metadata.get("page")
    position = " > ".join((chunk.book, *chunk.heading_path))
    summary = chunk.metadata.get("summary")
    parts = [*([f"Page {page}"] if page is not None else []), *([str(summary)] if summary else []), "Content:"]
    lines = [line for part in (*parts, chunk.text) for line in part.splitlines()]
    return "\n".join([f"[{passage.number}] {_one_line(position)}", *(f"{_QUOTE}{line}" for line in lines)])


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


@cache
def _shipped() -> Template:
    return Template((files("retrieval.rag") / "prompt.txt").read_text("utf-8"))


def _read(path: Path) -> Template:
    try:
        template = Template(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableSettingsError(f"the prompt {path} cannot be read: {error}") from error
    names = set(template.get_identifiers()) if template.is_valid() else set()
    if names != {"context", "question"}:
        raise UnreadableSettingsError(f"the prompt {path} must have $context and $question, and no other $name")
    return template


_CITED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def cited(text: str, passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Return the passages that `[1]` or `[1, 3]` in a text refer to, in the order of their numbers."""
    numbers = _cited_numbers(text)
    return tuple(citation(passage) for passage in passages if passage.number in numbers)


def citation(passage: Passage) -> Citation:
    """Return the citation of a passage."""
    chunk = passage.hit.chunk
    return Citation(passage.number, chunk.id, chunk.book, chunk.document, chunk.lines, chunk.title)


def doubts(text: str, question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the parts of a generated text that cannot be checked: citations such as `[9]` without a ninth passage, and
    numbers that neither the question nor a passage contains.

    This includes numbers that the model calculated: a reader should check them.
    """
    strange = sorted(_cited_numbers(text) - {passage.number for passage in passages})
    known = {
        number for source in (question, *(_words_of(passage) for passage in passages)) for number in _numbers(source)
    }
    told = dict.fromkeys(number for number in _numbers(_CITED.sub(" ", text)) if number not in known)
    return (*(f"[{number}]" for number in strange), *told)


def _cited_numbers(text: str) -> set[int]:
    return {int(number) for match in _CITED.finditer(text) for number in match[1].split(",")}


def _words_of(passage: Passage) -> str:
    chunk = passage.hit.chunk
    return " ".join((chunk.text, chunk.source, chunk.title, *chunk.heading_path, *chunk.columns))


def _numbers(text: str) -> list[str]:
    return [match[0].replace(",", "") for match in _NUMBER.finditer(text)]
