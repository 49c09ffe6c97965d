"""What the passages of one book are about: by the rules, or where the settings say so by a model, and what that did."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.building.materialization import Reported
from pipeline.building.model_tables import options_of
from pipeline.building.model_work import SAMPLED, keep_work, shown_of, told_work, who, work_numbers
from retrieval.ingest.model_passages.describing import DescribedChunks, ModelPassages
from retrieval.models.access import Access
from retrieval.settings import Settings
from retrieval.types import Chunk, Document

OUTCOMES, SAMPLE = "model_passages.jsonl", "passages_sample.md"
"""In a book's folder of records: what became of each passage, and one in ten of them for a person to read."""
_SHOWN = ("content_kind", "is_rule_bearing", "tags", "traits", "summary")


@dataclass(frozen=True, slots=True)
class ChunksMade:
    """The chunks of a book."""

    chunks: tuple[Chunk, ...]
    described: DescribedChunks | None
    """None: no model was asked for."""

    @property
    def numbers(self) -> dict[str, Reported]:
        """What an asset says of it; the same names whoever described the passages."""
        done = self.described
        agreed = done.agreement if done else None
        return {"enrichment": who(done), **work_numbers(done), "kind_agreement": agreed}


def make_chunks(
    settings: Settings, answers: Path, documents: Sequence[Document], chunks: Sequence[Chunk], access: Access
) -> ChunksMade:
    """The chunks of a book, described as the settings want it.

    Args:
        settings: who describes passages.
        answers: folder of what models answered.
        documents: of the book; what their author says of them wins.
        chunks: as the rules describe them.
        access: to the model.

    Raises:
        ModelKeyError: the server refuses the key.
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    if settings.passages.enrichment == "rules":
        return ChunksMade(tuple(chunks), None)
    done = describer_of(settings, access, answers).describe(
        chunks, {document.path: document.metadata for document in documents}
    )
    return ChunksMade(done.chunks, done)


def describer_of(settings: Settings, access: Access, answers: Path, *, batch: bool = False) -> ModelPassages:
    """What asks the model of the settings about passages.

    Raises:
        UnreadableSettingsError: there is a budget, and nobody knows the prices of the model.
    """
    return ModelPassages(access, answers, replace(options_of(settings), batch=batch))


def keep_report(folder: Path, done: DescribedChunks | None) -> None:
    """Leave in a book's folder what became of the passages, or nothing where no model was asked for."""
    keep_work(folder, OUTCOMES, SAMPLE, done, sample(done) if done else "")


def told(done: DescribedChunks | None) -> str:
    """What a log says of the model's part; nothing where no model was asked for."""
    return told_work(done, "described", "passages")


def sample(done: DescribedChunks) -> str:
    """One in ten of the model's passages, what the rules say beside its own words; the same ones again."""
    shown = shown_of(done.by_model)
    dropped = {outcome.chunk_id: outcome.dropped for outcome in done.outcomes}
    parts = [f"# One in {SAMPLED} of the passages that {done.bill.model} described, prompt {done.bill.prompt}\n"]
    for chunk, offline in zip(done.chunks, done.offline, strict=True):
        if chunk.id in shown:
            parts.append(f"## {chunk.title}\n\n`{chunk.document}:{chunk.lines[0]}`\n")
            parts += [f"- {each.part} not believed: {each.why}" for each in dropped[chunk.id]]
            parts += [f"- {key}: {_said(chunk, key)}; by the rules {_said(offline, key)}" for key in _SHOWN]
            parts.append("\n" + "\n".join(f"> {line}" for line in chunk.text.split("\n")) + "\n")
    return "\n".join(parts) + "\n"


def _said(chunk: Chunk, key: str) -> str:
    value = chunk.metadata.get(key, "nothing")
    return ", ".join(value) if isinstance(value, tuple) else str(value)
