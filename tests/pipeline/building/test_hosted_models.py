"""What can be asked is found out before the first book, and only where somebody has to be asked."""

from dataclasses import replace

import pytest

from pipeline.building.hosted_models import HostedModels
from pipeline.building.model_work import make_chunks
from retrieval.errors import EmbedderUnavailableError, ModelError, ModelKeyError
from retrieval.files.records import read_jsonl
from retrieval.home import Home
from retrieval.ingest.library.library import list_books
from retrieval.models.access import Access
from retrieval.settings import PassagesSettings, Settings, TablesSettings
from retrieval.types import Book, Chunk
from tests.openai_server.counting import tokens
from tests.openai_server.faults import InTurn
from tests.openai_server.passage_model import describing
from tests.openai_server.server import FakeOpenAi


def prepare_models(home: Home, access: Access) -> HostedModels:
    models = HostedModels(lambda: access)
    models.require_ready(home, list_books(home.library))
    return models


def by_model(home: Home, model: str = "gpt-4o-mini") -> Home:
    return replace(home, settings=replace(home.settings, tables=TablesSettings("model", model)))


def hosted(home: Home) -> Home:
    return replace(home, settings=replace(home.settings, embedder="openai"))


def test_it_is_no_obstacle_where_every_vector_is_kept_and_nobody_scores(tiny: Home, chat_server: FakeOpenAi) -> None:
    from pipeline.runs.build import build  # loads Dagster

    home = replace(hosted(tiny), settings=Settings(tiny.library, embedder="openai"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in chat_server.environment.items():
            patch.setenv(name, value)
        embedded = build(home).books["tiny"].numbers["embeddings"]
    assert embedded["n_model_tokens"] == chat_server.counts.prompt - tokens("Is anybody there?") > 0
    prepare_models(home, Access())
    scored = replace(home, settings=replace(home.settings, questions=tiny.settings.questions or (home.library,)))
    with pytest.raises(EmbedderUnavailableError):
        prepare_models(scored, Access())


def test_the_server_is_asked_once_for_all_books_that_follow(tiny: Home, chat_server: FakeOpenAi) -> None:
    models = prepare_models(hosted(tiny), Access.of_environment(chat_server.environment))
    models.require_ready(hosted(tiny), list_books(tiny.library))
    assert len(chat_server.asked) == 1


def test_a_key_that_is_refused_is_one_line_before_the_tables_are_read(tiny: Home, chat_server: FakeOpenAi) -> None:
    chat_server.models = frozenset({"gpt-4o-mini"})
    access = Access("sk-another-secret", chat_server.address)
    with pytest.raises(ModelError, match="the key in OPENAI_API_KEY was rejected") as refused:
        prepare_models(by_model(tiny), access)
    assert "\n" not in str(refused.value)
    assert access.key not in str(refused.value)
    known = Access.of_environment(chat_server.environment)
    prepare_models(by_model(tiny), known)
    assert not chat_server.asked
    with pytest.raises(ModelError, match=r"llama9 cannot be called: .*'llama9' does not exist"):
        prepare_models(by_model(tiny, "llama9"), known)


def test_a_missing_key_and_one_that_no_header_can_have_are_found_without_a_server(tiny: Home) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"^openai needs OPENAI_API_KEY; set it, or use --embedder"):
        prepare_models(hosted(tiny), Access())
    with pytest.raises(ModelKeyError, match="has a character that no key can have"):
        prepare_models(by_model(tiny), Access("sk a secret"))


def test_a_model_of_passages_is_asked_for_where_an_answer_is_missing(tiny: Home, chat_server: FakeOpenAi) -> None:
    chat_server.models, chat_server.answering = frozenset({"gpt-4o-mini"}), describing
    access = Access.of_environment(chat_server.environment)
    settings = replace(tiny.settings, passages=PassagesSettings("model"))
    home = replace(tiny, settings=settings)
    prepare_models(home, access)
    chat_server.models = frozenset()
    with pytest.raises(ModelError, match=r"gpt-4o-mini cannot be called: .*'gpt-4o-mini' does not exist"):
        prepare_models(home, access)
    folder = home.book("tiny")
    (book,), chunks = read_jsonl(folder / "book.jsonl", Book), read_jsonl(folder / "chunks.jsonl", Chunk)
    make_chunks(settings, home.models, book.documents, chunks, access)
    prepare_models(home, access)


def test_a_server_that_says_nothing_of_its_models_or_is_away_leaves_it_to_the_tables(tiny, chat_server):
    prepare_models(by_model(tiny), Access.of_environment(chat_server.environment))
    prepare_models(by_model(tiny), Access("none", "http://127.0.0.1:9/v1"))
    prepare_models(by_model(tiny), Access())


@pytest.mark.parametrize(
    ("passing", "general", "last", "given_up"),
    [
        pytest.param(False, True, False, True, id="a refused key"),
        pytest.param(True, True, False, False, id="a busy server that is tried again"),
        pytest.param(True, True, True, True, id="a busy server at its last trial"),
        pytest.param(False, False, True, False, id="a text that is refused"),
    ],
)
def test_an_embedder_that_fails_whatever_the_text_is_given_up_for_the_books_that_follow(
    passing: bool, general: bool, last: bool, given_up: bool
) -> None:
    models, error = HostedModels(Access), EmbedderUnavailableError("away", passing=passing, general=general)
    with pytest.raises(EmbedderUnavailableError), models.embedding(last=last):
        raise error
    if given_up:
        with pytest.raises(EmbedderUnavailableError, match="away"):
            models.embedder("openai")
    else:
        assert models.embedder("openai")


def test_a_key_that_is_refused_during_a_build_costs_one_request_and_one_error(tiny, chat_server, monkeypatch):
    from pipeline.runs.build import build  # loads Dagster

    for name in ("second", "third"):
        (tiny.library / name).mkdir()
        (tiny.library / name / "01.md").write_text(f"# {name}\n\nOne sentence about {name}.\n")
    for name, value in chat_server.environment.items():
        monkeypatch.setenv(name, value)
    chat_server.plan = InTurn([None, "key", "key", "key", "key"])
    done = build(hosted(tiny))
    assert chat_server.counts.requests["/v1/embeddings"] == 2, "whether it is there, and the first book"
    assert [problem.where for problem in done.problems] == ["embeddings"] * 3
    assert len({problem.sentence for problem in done.problems}) == 1
    assert "the key in OPENAI_API_KEY was rejected" in done.problems[0].sentence
