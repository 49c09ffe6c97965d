import tomllib
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval.artifacts.mongo_store import MongoStore
from retrieval.errors import IndexMissingError, UnreadableSettingsError
from retrieval.ingest.enrichment import enriched
from retrieval.types import Chunk
from retrieval.understand.traversal import Policy, TraversalConfig
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
CONFIG = TraversalConfig.of(CHUNKS, "tiny")


def test_what_heads_a_part_of_all_spells_is_no_spell() -> None:
    headings = ("Components", "Casting Time", "Memorizing Spells", "Fireball", "Spell Turning")
    parts = [chunk(heading, place, "Spells", heading) for place, heading in enumerate(headings)]
    assert TraversalConfig.of(parts, "tiny").spell_names == ("Fireball", "Spell Turning")


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


NOW = datetime(2026, 11, 23, tzinfo=UTC)


def test_a_config_is_loaded_from_mongodb_as_it_was_stored(mongo_uri: str) -> None:
    edited = replace(CONFIG, version="v2", spell_names=("Wish",))
    with closing(MongoStore.open(mongo_uri)) as store:
        for config in (CONFIG, edited):
            store.save_config(config.stored(NOW))
    assert TraversalConfig.load_from_mongo("tiny", mongo_uri) == edited
    assert TraversalConfig.load_from_mongo("tiny", mongo_uri, version="v1") == CONFIG
    with pytest.raises(IndexMissingError, match="ruleset 'huge' has no traversal config; available: none"):
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
