import tomllib
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from retrieval.artifacts.mongo_store import MongoStore
from retrieval.errors import IndexCorruptError, IndexMissingError, InvalidQueryError, UnreadableSettingsError
from retrieval.index.graph_building import build_graph
from retrieval.ingest.enrichment import enriched
from retrieval.language.vocabulary import Vocabulary
from retrieval.types import Chunk
from retrieval.understand.traversal import Intent, Policy, TraversalConfig, TraversalIndex, retrieve_candidates
from tests.chunks import EMPTY


def chunk(name: str, position: int, *path: str, text: str = "", **fields) -> Chunk:
    return enriched(
        replace(EMPTY, id=name, position=position, heading_path=path, text=text, search_text=text, **fields)
    )


CHUNKS = (
    chunk("a", 0, "Rules Glossary", "Grabbed [Condition]", text="Your speed is 0, see Escape."),
    chunk("b", 1, "Combat", "Actions", "Escape", text="You may try to escape."),
    chunk("c", 2, "Spells", "Fireball", text="It burns."),
    chunk("d", 3, "Spells", "Wall of Fire", text="It burns longer."),
    chunk("e", 4, "Feats", "Tough", text="You are tough."),
    chunk("f", 5, "Weapons", kind="row", row_key="Net", table_id="t"),
    chunk("g", 6, "Game Master Advice", "Running Fireball", names=("Fireball",)),
)
GRAPH = build_graph(CHUNKS, np.eye(7, 8, dtype=np.float32), Vocabulary.default())
INDEX = TraversalIndex.build(GRAPH, CHUNKS)
CONFIG = TraversalConfig.of(CHUNKS, "tiny")


def ids(query: str, config: TraversalConfig = CONFIG) -> list[str]:
    return [candidate.chunk_id for candidate in retrieve_candidates(query, INDEX, config).candidates]


@pytest.mark.parametrize("question", ["cost of a long sword", "How much damage does a longsword do?", "a sword, long"])
def test_a_thing_is_named_as_its_table_writes_it_or_as_people_do(question: str) -> None:
    names = ("Sword, long", "long Sword")
    sword = chunk("s", 1, "Weapons", kind="row", row_key="Sword, long", names=names, table_id="t")
    chunks = (chunk("d", 0, "Weapons", kind="row", row_key="Dagger", names=("Dagger",), table_id="t"), sword)
    graph = build_graph(chunks, np.eye(2, 8, dtype=np.float32), Vocabulary.default())
    candidates = retrieve_candidates(question, TraversalIndex.build(graph, chunks), CONFIG)
    assert [candidate.chunk_id for candidate in candidates.candidates][:1] == ["s"]
    assert len(candidates.names) == 1


def test_what_heads_a_part_of_all_spells_is_no_spell() -> None:
    parts = (chunk("p", 0, "Spells", "Components"), chunk("q", 1, "Spells", "Casting Time"), CHUNKS[2])
    assert TraversalConfig.of(parts, "tiny").spell_names == ("Fireball",)


def test_names_are_sorted_by_what_they_name() -> None:
    assert CONFIG.condition_names == ("Grabbed",)
    assert CONFIG.spell_names == ("Fireball", "Wall of Fire")
    assert CONFIG.feat_names == ("Tough",)
    assert CONFIG.action_names == ("Escape",)
    assert CONFIG.item_names == ("Net",)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Rope, hemp (50 ft)", "Rope, hemp"),
        ("01-75 Staff of Withering", "Staff of Withering"),
        ("Bow, short†", "Bow, short"),
        ("Whip4", "Whip"),
        ("Bread, per loaf", "Bread"),
        ("10-foot pole", "10-foot pole"),
        ("Ox", "Ox"),
        ("Feed per day", None),
        ("Messenger, per mile", None),
        ("7th to 9th", None),
        ("2d8", None),
        ("3 or less", None),
        ("None", None),
        ("Q", None),
        ("STR", None),
    ],
)
def test_a_row_gives_the_name_of_its_thing_without_what_a_table_writes_around_it(key: str, name: str | None) -> None:
    row = chunk("f", 5, "Weapons", kind="row", row_key=key, table_id="t")
    assert TraversalConfig.of([row], "tiny").item_names == ((name,) if name else ())


def test_a_question_leads_to_what_it_names_and_to_what_that_refers_to() -> None:
    candidates = retrieve_candidates("What happens when I'm grabbed?", INDEX, CONFIG)
    assert candidates.names == tuple(INDEX.tokenize("grabbed"))
    assert candidates.intent == "effect"
    assert [(candidate.chunk_id, candidate.distance) for candidate in candidates.candidates] == [("a", 1), ("b", 2)]


def test_what_names_nothing_leads_nowhere() -> None:
    assert ids("what happens when it rains") == []


def test_the_policy_of_the_intent_says_how_far_and_how_many() -> None:
    near = Intent("near", ("",), Policy(("describes",), depth=1, candidates=1))
    assert ids("grabbed", replace(CONFIG, intents=(near,))) == ["a"]
    wide = Intent("wide", ("",), Policy(("describes", "next"), depth=3, candidates=3))
    assert ids("grabbed", replace(CONFIG, intents=(wide,))) == ["a", "b", "c"]


def test_names_of_the_config_come_first() -> None:
    only = replace(CONFIG, spell_names=(), action_names=("Escape",), condition_names=())
    assert ids("escape from a fireball", only)[0] == "b"
    assert ids("escape from a fireball", replace(only, action_names=(), spell_names=("Fireball",)))[0] == "c"


def test_chapters_of_the_other_audience_come_later() -> None:
    query = "what is a fireball for my character"
    assert ids(query)[:2] == ["c", "g"]
    swapped = replace(CONFIG, player_keywords=("spells", "character"), gm_keywords=("advice", "dungeon"))
    assert retrieve_candidates("fireball in a dungeon", INDEX, swapped).audience == "gm"
    assert ids("fireball in a dungeon", swapped)[:2] == ["g", "c"]


@pytest.mark.parametrize("suffix", ["json", "toml"])
def test_a_config_is_read_as_it_was_written_and_edited(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"config.{suffix}"
    if suffix == "json":
        CONFIG.write(path)
        assert TraversalConfig.read(path) == CONFIG
    else:
        path.write_text(
            'ruleset_id = "x"\nversion = "v2"\nspell_names = ["Fireball"]\n[[intents]]\nname = "any"\npatterns = [""]\n'
        )
        read = TraversalConfig.read(path)
        assert (read.version, read.spell_names, read.intents[0].policy) == ("v2", ("Fireball",), Policy())
        assert tomllib.loads(path.read_text())["version"] == read.version


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not a traversal config"),
        ('{"ruleset_id": "x", "version": 2}', "version"),
        ('{"ruleset_id": "x", "version": "v", "intents": [{"name": "a", "patterns": ["("]}]}', "unterminated"),
    ],
)
def test_a_file_that_is_no_config_says_why(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(UnreadableSettingsError, match=complaint):
        TraversalConfig.read(path)


def test_a_graph_over_other_chunks_is_refused() -> None:
    with pytest.raises(IndexCorruptError, match="over other chunks"):
        TraversalIndex.build(GRAPH, CHUNKS[1:])


def test_an_empty_question_is_refused() -> None:
    with pytest.raises(InvalidQueryError):
        retrieve_candidates(" ", INDEX, CONFIG)


@pytest.mark.parametrize(
    ("question", "audience"),
    [
        ("How much does a feather token cost?", ""),
        ("I admire a strapping knight", ""),
        ("Which feats may I take?", "player"),
        ("Where do the monsters sleep?", "gm"),
        ("What does the Game-Master roll?", "gm"),
    ],
)
def test_keywords_are_whole_words(question: str, audience: str) -> None:
    assert retrieve_candidates(question, INDEX, CONFIG).audience == audience


NOW = datetime(2026, 11, 23, tzinfo=UTC)


def test_a_config_is_loaded_from_mongodb_as_it_was_stored(mongo_uri: str) -> None:
    edited = replace(CONFIG, version="v2", spell_names=("Wish",))
    with closing(MongoStore.open(mongo_uri)) as store:
        for config in (CONFIG, edited):
            store.save_config(config.stored(NOW))
    assert TraversalConfig.load_from_mongo("tiny", mongo_uri) == edited
    assert TraversalConfig.load_from_mongo("tiny", mongo_uri, version="v1") == CONFIG
    with pytest.raises(IndexMissingError, match="ruleset 'huge' has no traversal config; there are: none"):
        TraversalConfig.load_from_mongo("huge", mongo_uri)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("intent_patterns", {"effect": ("[",)}),
        ("policies", {"effect": {"relations": ["loves"], "depth": 1, "candidates": 2}}),
    ],
    ids=["pattern", "relation"],
)
def test_a_stored_config_that_cannot_be_used_says_so(mongo_uri: str, field: str, value: object) -> None:
    with closing(MongoStore.open(mongo_uri)) as store:
        store.save_config(CONFIG.stored(NOW))
        store._database["traversal_configs"].update_one({}, {"$set": {field: value}})
    with pytest.raises(UnreadableSettingsError, match="the traversal config v1 of tiny cannot be used"):
        TraversalConfig.load_from_mongo("tiny", mongo_uri)
