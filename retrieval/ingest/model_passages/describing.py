"""Passages described by a model, one request each; whatever goes wrong, what the rules say of them is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.ingest.model_passages.asked_passage import AskedPassage, passages_prompt_version, why_unsent
from retrieval.ingest.model_passages.believing import BelievedPassage, believed
from retrieval.ingest.model_passages.form import ModelPassage
from retrieval.ingest.model_passages.outcome import Described, PassageOutcome
from retrieval.models.access import Access
from retrieval.models.chat import Asked
from retrieval.models.inquiries import Inquiries
from retrieval.models.inquiry import Inquiry, Reply, in_form
from retrieval.models.options import ModelOptions
from retrieval.types import Chunk, Metadata


@dataclass(frozen=True, slots=True)
class ModelPassages:
    """Describes the prose of books with a model: metadata, and nothing else of a chunk.

    Args:
        access: key and address; without a key passages are as the rules describe them, or as was paid for before.
        folder: of the answers that were paid for, and of what was spent. One process writes there.
        options: the model and its limits.
    """

    access: Access
    folder: Path
    options: ModelOptions

    @property
    def prompt(self) -> str:
        """Version of the prompt."""
        return passages_prompt_version()

    def describe(self, chunks: Sequence[Chunk], said: Mapping[str, Metadata]) -> Described:
        """The chunks of one book, its passages of prose with what is believed of the model's words.

        Args:
            chunks: as the rules describe them. Rows and records are left alone.
            said: what the author says of each document, by its path: that wins over rules and model.

        Raises:
            ModelKeyError: the server refuses the key; answers that came before are kept.
        """
        asking = self._inquiries()
        wanted = self._inquiries_about(chunks)
        ask = asking.ask if self.access else asking.kept
        replies = dict(zip(wanted, ask(list(wanted.values()), in_form(ModelPassage)), strict=True))
        made: list[Chunk] = []
        outcomes: list[PassageOutcome] = []
        for chunk in chunks:
            described = chunk
            if chunk.kind == "prose":
                described, outcome = _described(chunk, replies.get(chunk.id), said[chunk.document])
                outcomes.append(outcome)
            made.append(described)
        return Described(
            chunks=tuple(made),
            offline=tuple(chunks),
            outcomes=tuple(outcomes),
            bill=asking.bill,
        )

    def unanswered(self, chunks: Sequence[Chunk]) -> tuple[Asked, ...]:
        """What `describe` would have to ask, each once."""
        wanted = list(self._inquiries_about(chunks).values())
        return tuple(each.asked for each in self._inquiries().unanswered(wanted, in_form(ModelPassage)))

    def _inquiries_about(self, chunks: Sequence[Chunk]) -> dict[str, Inquiry]:
        """By the chunk's id."""
        sent = (chunk for chunk in chunks if chunk.kind == "prose" and why_unsent(chunk) is None)
        return {chunk.id: AskedPassage.of(chunk).inquiry(self.options.model) for chunk in sent}

    def _inquiries(self) -> Inquiries:
        otherwise = "let the rules say what passages are about"
        return Inquiries(self.access, self.folder, self.options, self.prompt, otherwise=otherwise)


def _described(chunk: Chunk, reply: Reply | None, author: Metadata) -> tuple[Chunk, PassageOutcome]:
    outcome = PassageOutcome(
        chunk.id, chunk.document, chunk.lines[0], chunk.title, "", "", reply.n_paid if reply else 0
    )
    if reply is None:
        return chunk, replace(outcome, reason="not sent", said=why_unsent(chunk) or "")
    answer = reply.answered.read_as(ModelPassage) if reply.answered else reply.why
    if isinstance(answer, str):
        return chunk, replace(outcome, reason=reply.reason or "refused or wrong", said=reply.why or answer)
    found = believed(answer, AskedPassage.of(chunk))
    return _with(chunk, found, author), replace(outcome, dropped=found.dropped)


def _with(chunk: Chunk, found: BelievedPassage, author: Metadata) -> Chunk:
    metadata = {**chunk.metadata, **found.metadata}
    return replace(chunk, metadata={key: value for key, value in metadata.items() if value != ()} | dict(author))
