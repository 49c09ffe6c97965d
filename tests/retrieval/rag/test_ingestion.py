import logging
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from evals.sample import SKIRMISH
from retrieval.errors import BudgetExceededError, EmbedderUnavailableError, IndexCorruptError, VectorDBWriteError
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.index.embedding.embedding_store import embedding_text
from retrieval.index.embedding.openai_model import OpenAiEmbedder
from retrieval.index.snapshot import live
from retrieval.index.snapshot.live import live_id, snapshot_folder
from retrieval.index.snapshot.manifest import Manifest
from retrieval.index.snapshot.snapshot import build_snapshot, open_snapshot
from retrieval.models.access import Access
from retrieval.models.openai_client import OpenAiClient
from retrieval.rag import ingestion
from retrieval.rag.contract import RuleDocument
from retrieval.rag.ingestion import DOCUMENTS_FILE, PAUSES, Ingestion, lacking
from retrieval.rag.pipeline import RAGPipeline
from retrieval.rag.relevance import calibration_of
from retrieval.types import Embedder, Vector
from tests.openai_server.server import FakeOpenAi

Documents = dict[str, RuleDocument]


class Failing:
    """An embedder that fails so many times; or always for texts that say a word."""

    def __init__(self, times: int = 0, word: str = "", version: str = "") -> None:
        self._inner: Embedder = load_embedder()
        self.times, self.word, self.calls = times, word, 0
        self.identity = replace(self._inner.identity, version=version or self._inner.identity.version)

    def embed(self, texts: Sequence[str]) -> Vector:
        self.calls += 1
        if self.calls <= self.times or (self.word and any(self.word in text for text in texts)):
            raise EmbedderUnavailableError("the server is away")
        return self._inner.embed(texts)

    def embed_query(self, query: str) -> Vector:
        return self._inner.embed_query(query)


@pytest.fixture
def home(weapons_home: Path, tmp_path: Path) -> Home:
    """A copy of the home with the weapon rules."""
    shutil.copytree(weapons_home, tmp_path / "home")
    return Home.at(tmp_path / "home")


def whole(root: Path) -> dict[str, list[str]]:
    """The texts of every document of the live index, in its order; what is beside the chunks fits them."""
    with open_snapshot(root) as snapshot:
        result: dict[str, list[tuple[int, str]]] = {}
        for chunk in snapshot.chunks:
            result.setdefault(chunk.book, []).append((chunk.position, chunk.source))
    return {name: [text for _, text in sorted(chunks)] for name, chunks in result.items()}


def test_a_batch_of_which_some_fail_brings_in_the_others_and_says_why(home, documents, caplog):
    waits: list[float] = []
    batch = [
        documents["faq.md"],
        documents["ops-missions.md"],
        replace(documents["team-drowned.md"], content="# Drowned\n\nText.\n", metadata={"source": "S"}),
        replace(documents["team-lamplighters.md"], document_id="no"),
        "not a document",
        documents["killzone-foundry.md"],
    ]
    before = whole(home.root)
    with caplog.at_level(logging.WARNING):
        done = Ingestion(home, Failing(word="slag"), waits.append).ingest(batch)

    assert (done.documents_processed, done.documents_failed) == (2, 4)
    assert done.errors == ["team-drowned.md", "team-lamplighters.md", "not a document", "killzone-foundry.md"]
    output = dict(warning.split(": ", 1) for warning in done.warnings)
    assert "no doc_type, last_update_date" in output["team-drowned.md"]
    assert "UUID" in output["team-lamplighters.md"]
    assert "not a RuleDocument" in output["not a document"]
    assert "the server is away" in output["killzone-foundry.md"]
    assert waits == list(PAUSES), "the embedder is asked three times more"
    assert {record.levelname for record in caplog.records} == {"WARNING", "ERROR"}
    after = whole(home.root)
    assert after.items() >= before.items()
    assert set(after) - set(before) == {str(documents[name].document_id) for name in ("faq.md", "ops-missions.md")}


def test_an_embedder_that_comes_back_in_time_loses_nothing(home: Home, documents: Documents) -> None:
    done = Ingestion(home, Failing(times=len(PAUSES)), lambda _: None).ingest([documents["faq.md"]])
    assert (done.documents_processed, done.documents_failed) == (1, 0)
    assert done.embedding_count > 0


@pytest.mark.parametrize(("status", "requests"), [(401, 1), (404, 1), (503, 2)])
def test_a_server_that_fails_whatever_the_text_is_not_asked_for_each_document(
    home: Home, documents: Documents, chat_server: FakeOpenAi, status: int, requests: int
) -> None:
    waits: list[float] = []
    chat_server.status = status
    embedder = OpenAiEmbedder(client=OpenAiClient(Access.of_environment(chat_server.environment), retries=1))
    done = Ingestion(home, embedder, waits.append).ingest([documents["faq.md"], documents["ops-missions.md"]])
    assert done.errors == ["faq.md", "ops-missions.md"]
    first, second = (sentence.split(": ", 1)[1] for sentence in done.warnings)
    assert first == second
    assert str(status) in first
    assert chat_server.counts.requests["/v1/embeddings"] == requests
    assert waits == []


def test_a_document_whose_text_is_refused_stops_no_other(home, documents, chat_server):
    chat_server.status = 400
    done = Ingestion(home, OpenAiEmbedder(chat_server.environment), lambda _: None).ingest(
        [documents["faq.md"], documents["ops-missions.md"]]
    )
    assert done.errors == ["faq.md", "ops-missions.md"]
    assert chat_server.counts.requests["/v1/embeddings"] == 2


def test_a_failed_update_leaves_the_document_as_it_was(home: Home, documents: Documents) -> None:
    before, live = whole(home.root), live_id(home.root)
    worse = replace(documents["weapon-rules.md"], metadata={"doc_type": "spell"})
    worse = replace(worse, content=worse.content.replace("doc_type: core-rules", "doc_type: spell"))
    assert Ingestion(home, Failing()).ingest([worse]).errors == ["weapon-rules.md"]
    assert (whole(home.root), live_id(home.root)) == (before, live)


def test_the_second_of_a_batch_with_one_id_is_the_one_that_counts(home: Home, documents: Documents) -> None:
    first = documents["weapon-rules.md"]
    second = replace(first, content="---\n" + first.content.split("---\n", 2)[1] + "---\n# Short\n\nNothing else.\n")
    third = replace(first, content=second.content.replace("Nothing", "Anything"))
    done = Ingestion(home, Failing()).ingest([second, third])
    assert (done.documents_processed, len(done.warnings)) == (2, 1)
    assert "second document of this batch" in done.warnings[0]
    assert whole(home.root) == {str(first.document_id): ["Anything else."]}


def test_a_budget_bounds_a_batch_before_anything_of_it_is_sent(home: Home, documents: Documents) -> None:
    """The home's vectors are another model's: what is there would have to be embedded again."""
    paid, batch = Failing(version="text-embedding-3-small"), [documents["faq.md"], documents["ops-missions.md"]]
    before, live = whole(home.root), live_id(home.root)

    def with_budget(usd: float) -> Ingestion:
        (home.root / "rag.yaml").write_text(f"budget_usd: {usd:.9f}\n")
        return Ingestion(Home.at(home.root), paid)

    with pytest.raises(BudgetExceededError) as refused:
        with_budget(0.0).ingest(batch)
    match = re.fullmatch(
        r"(\d+) chunks would have to be embedded: up to ([\d,]+) tokens, (.*) with text-embedding-3-small .*, "
        r"and budget_usd is 0; allow more in rag.yaml, or use another embedder; nothing was sent",
        str(refused.value),
    )
    assert match is not None, str(refused.value)
    usd = int(match[2].replace(",", "")) * 0.02 / 1e6
    assert (paid.calls, whole(home.root), live_id(home.root)) == (0, before, live)
    with pytest.raises(BudgetExceededError):
        with_budget(usd * 0.99).ingest(batch)
    assert paid.calls == 0

    done = with_budget(usd).ingest(batch)

    assert (done.documents_processed, done.documents_failed) == (2, 0)
    with open_snapshot(home.root) as snapshot:
        assert len({embedding_text(chunk) for chunk in snapshot.chunks}) == int(match[1])
    assert set(before) < set(whole(home.root))
    again = replace(batch[0], content=batch[0].content + "\nMore.\n")
    with pytest.raises(BudgetExceededError, match=r"^1 chunks would"):
        with_budget(0.0).ingest([batch[1], again])
    assert with_budget(0.0).ingest(batch).documents_processed == 2, "what did not change costs nothing"
    assert with_budget(0.0).remove([batch[0].document_id]).documents_processed == 1


@pytest.mark.parametrize("step", ["build_snapshot", "keep_originals", "promote"])
def test_what_cannot_be_written_raises_and_readers_keep_what_they_had(home, documents, monkeypatch, step):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before, live = whole(home.root), live_id(home.root)
    monkeypatch.setattr(ingestion, step, fail)
    with pytest.raises(VectorDBWriteError, match=r"No space left.*has not changed"):
        Ingestion(home, Failing()).ingest([documents["faq.md"]])
    assert (whole(home.root), live_id(home.root)) == (before, live)


@pytest.mark.parametrize("step", ["remove_snapshots", "remember"])
def test_what_fails_after_the_promotion_is_logged_alone(home, documents, monkeypatch, caplog, step):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    live_before = live_id(home.root)
    monkeypatch.setattr(ingestion if step == "remove_snapshots" else live, step, fail)
    with closing(RAGPipeline(home.root)) as pipeline:
        assert pipeline.ingest([documents["faq.md"]]).documents_processed == 1
    assert live_id(home.root) != live_before
    assert "No space left" in caplog.text


def test_an_index_that_is_not_sound_does_not_go_live(home, documents, monkeypatch):
    live = live_id(home.root)

    def forgetful(*given: Any, **named: Any) -> Manifest:
        made = build_snapshot(*given, **named)
        (snapshot_folder(home.root, made.id) / "vectors.npy").write_bytes(b"half")
        return made

    monkeypatch.setattr(ingestion, "build_snapshot", forgetful)
    with pytest.raises(VectorDBWriteError, match=r"vectors\.npy has 4 bytes"):
        Ingestion(home, Failing()).ingest([documents["faq.md"]])
    assert live_id(home.root) == live


def test_documents_go_when_they_are_removed_and_the_last_one_stays(home: Home, documents: Documents) -> None:
    work, faq = Ingestion(home, Failing()), documents["faq.md"]
    work.ingest([faq])
    done = work.remove([faq.document_id, UUID(int=0)])
    assert (done.documents_processed, done.documents_failed) == (1, 0)
    assert "no document of the index" in done.warnings[0]
    assert set(whole(home.root)) == {str(documents["weapon-rules.md"].document_id)}
    with pytest.raises(VectorDBWriteError, match="no document would be left"):
        work.remove([documents["weapon-rules.md"].document_id])


def test_a_home_that_a_build_made_is_left_to_builds(tiny: Home, documents: Documents) -> None:
    live = live_id(tiny.root)
    with pytest.raises(VectorDBWriteError, match="built from a library"):
        Ingestion(tiny, Failing()).ingest([documents["faq.md"]])
    assert live_id(tiny.root) == live


@pytest.mark.parametrize("pointer", [b"nonsense", b"\xff", None])
def test_no_document_is_lost_with_the_pointer_to_the_index(home, documents, pointer):
    before, live = whole(home.root), live_id(home.root)
    (home.root / "live").unlink()
    if pointer is not None:
        (home.root / "live").write_bytes(pointer)

    done = Ingestion(home, Failing()).ingest([])

    assert live_id(home.root) == live
    assert f"{live}, the last live snapshot, is live again" in done.warnings[0]
    (home.root / "live").unlink()
    Ingestion(home, Failing()).ingest([documents["faq.md"]])
    assert whole(home.root).items() > before.items()


def test_documents_that_are_not_kept_any_more_are_kept_when_they_come_again(home: Home, documents: Documents) -> None:
    kept = snapshot_folder(home.root, str(live_id(home.root))) / DOCUMENTS_FILE
    before = kept.read_bytes()
    with open_snapshot(home.root) as snapshot:
        assert list(lacking(snapshot)) == []
        kept.write_bytes(before[:-9])
        assert "lacks 1 documents" in next(lacking(snapshot))
        assert Ingestion(home, Failing()).ingest([documents["weapon-rules.md"]]).embedding_count == 0
        assert list(lacking(snapshot)) == []
    assert kept.read_bytes() == before


@pytest.mark.parametrize("name", ["relevance.json", "rarity.npy"])
def test_what_is_damaged_beside_the_chunks_is_made_again(home: Home, name: str) -> None:
    before, live = whole(home.root), str(live_id(home.root))
    (snapshot_folder(home.root, live) / name).write_bytes(b"{")

    assert Ingestion(home, Failing()).ingest([]).embedding_count == 0

    assert (whole(home.root), live_id(home.root)) == (before, live)
    with open_snapshot(home.root) as snapshot:
        assert snapshot.faults() == ()
        assert list(lacking(snapshot)) == []
        assert calibration_of(snapshot.folder, "minilm")


def test_an_index_that_goes_while_it_is_made_again_takes_no_document_along(home, documents, monkeypatch):
    before, folder = whole(home.root), snapshot_folder(home.root, str(live_id(home.root)))
    (folder / "chunks.jsonl").unlink()

    def killed(*_: object, **__: object) -> None:
        shutil.rmtree(folder)  # as between the two moves that replace it
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ingestion, "build_snapshot", killed)
        with pytest.raises(KeyboardInterrupt):
            Ingestion(home, Failing()).ingest([])
    assert "rebuilt from its documents" in Ingestion(home, Failing()).ingest([documents["faq.md"]]).warnings[0]
    assert whole(home.root).items() > before.items()
    assert not (home.root / DOCUMENTS_FILE).exists()


def test_an_index_whose_documents_are_lost_with_it_is_made_again_from_those_of_the_one_before(home, documents):
    before, first = whole(home.root), live_id(home.root)
    Ingestion(home, Failing()).ingest([documents["faq.md"]])
    for path in snapshot_folder(home.root, str(live_id(home.root))).rglob("*.*"):
        os.truncate(path, 0)

    done = Ingestion(home, Failing()).ingest([])

    assert f"rebuilt from the documents of {first}, which was live before; ingest again" in done.warnings[0]
    assert whole(home.root) == before
    Ingestion(home, Failing()).ingest([documents["faq.md"]])
    assert whole(home.root).items() > before.items()


KILLED = """
import os, sys, threading
from pathlib import Path
from typing import Any
from uuid import UUID
from dataclasses import replace
from retrieval.rag.contract import read_rule_documents
from retrieval.rag.ingestion import DOCUMENTS_FILE, lacking
from retrieval.rag.pipeline import RAGPipeline
root, folder = map(Path, sys.argv[1:])
documents = read_rule_documents(folder)
pipeline = RAGPipeline(root)
print("ready", flush=True)
pipeline.ingest([replace(each, content=each.content + "\\n## New\\n\\nA new rule.\\n") for each in documents])
"""


@pytest.mark.parametrize("seconds", [0.5])
def test_a_killed_ingestion_leaves_every_document_whole(home: Home, tmp_path: Path, seconds: float) -> None:
    before = whole(home.root)
    given = [sys.executable, "-c", KILLED, str(home.root), str(SKIRMISH)]
    with subprocess.Popen(
        given, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ) as work:
        assert work.stdout is not None
        assert work.stdout.readline() == b"ready\n"
        try:
            work.wait(seconds)
        except subprocess.TimeoutExpired:
            work.send_signal(signal.SIGKILL)
    after = whole(home.root)
    if after != before:
        assert all(text[-1] == "A new rule." for text in after.values())
    assert Ingestion(home, Failing()).ingest([]).documents_failed == 0, "the home is free again"


def test_the_settings_of_chunking_are_live_and_a_change_of_them_cuts_again(home: Home, documents: Documents) -> None:
    rules = documents["rules-1-phases.md"]
    assert Ingestion(home, Failing()).ingest([rules]).embedding_count > 1
    seed = "chunking: {max_chunk_tokens: 8192, header_level: 2, fallback_header_level: 3}\n"
    (home.root / "rag.yaml").write_text(seed)

    done = Ingestion(Home.at(home.root), Failing()).ingest([rules])

    assert (done.documents_processed, done.embedding_count) == (1, 1)
    (text,) = whole(home.root)[str(rules.document_id)]
    assert "lasts four turning points" in text
    assert "Remove all smoke" in text
    chunk = RAGPipeline(home.root).retrieve("What can I do during movement?", "a:b").document_chunks[0]
    assert chunk.metadata["section"] == "Movement Phase", "of a document that is one chunk"
    assert chunk.text.count("## ") == 4
    assert Ingestion(Home.at(home.root), Failing()).ingest([rules]).embedding_count == 0


@pytest.mark.parametrize("given", ["faq.md", "weapon-rules.md", None])
def test_an_index_of_another_version_is_made_again_from_its_documents(home, documents, given):
    weapons, before = documents["weapon-rules.md"], whole(home.root)
    manifest = snapshot_folder(home.root, str(live_id(home.root))) / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"schema_version": ', '"schema_version": 9'))
    with pytest.raises(IndexCorruptError, match="schema version"):
        whole(home.root)

    batch = [replace(documents[given], content=documents[given].content + "\nMore.\n")] if given else []
    done = Ingestion(home, Failing()).ingest(batch)

    assert (done.documents_processed, done.documents_failed) == (int(given is not None), 0)
    assert "rebuilt from its documents" in done.warnings[0]
    assert not any("second document of this batch" in warning for warning in done.warnings)
    after = whole(home.root)
    same = after[str(weapons.document_id)] == before[str(weapons.document_id)]
    assert same == (given != "weapon-rules.md"), "what is given replaces what was there"
    assert set(after) == {str(documents[name].document_id) for name in ("weapon-rules.md", given) if name}
