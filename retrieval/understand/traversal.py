"""Data for programs that walk the graph themselves: the names of a ruleset, its intents, and the policy of each."""

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from retrieval.artifacts.artifacts import StoredTraversalConfig, TraversalPolicy
from retrieval.artifacts.mongo_store import MongoStore
from retrieval.artifacts.store import ArtifactStore, stored_config
from retrieval.errors import UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically
from retrieval.files.records import dump_record, parse_record
from retrieval.ingest.enrichment import is_about_kind, kind_by_headings
from retrieval.language.numbers.quantity import FUNCTION_WORDS
from retrieval.language.vocabulary import Vocabulary
from retrieval.strategy import Relation
from retrieval.types import Chunk

MAX_NAME_WORDS = 6
_BRACKET = re.compile(r"\s*[\[(][^\])]*[\])]\s*$")
_ROLLED = re.compile(r"^\d+\s*[-–]\s*\d+\s+(?=\D)")
"""The dice range in a table of things that are rolled for: `76-00 Rod of Resurrection`."""
_NOTE = re.compile(r"(?<=[^\W\d_])\d+$|[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+$")
"""A note mark: `Withdraw5`, `Bow, short†`."""
_UNIT = re.compile(r",\s+per [^\W\d_]+$")
"""The unit of a price: `Bread, per loaf`."""
_HIRED = re.compile(r"\bper (?:day|night|week|month|year|hour|mile|head|person)\b", re.IGNORECASE)
"""Something priced like this is not an item: `Feed per day`."""
_WORD = re.compile(r"(?:\d+-)?[^\W\d_]{2,}(?:['’/-][^\W\d_]+)*")
_LABELS = {form for label in Vocabulary.default().labels for form in (label.name, *label.forms)}
_NO_NAMES = FUNCTION_WORDS | _LABELS | {"none"}
"""Words of rolls, counts and empty cells, which name nothing: `7th to 9th`, `None`, `STR`."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of a walk from the things that a question names."""

    relations: tuple[Relation, ...] = ("describes", "see", "contains")
    depth: int = 3
    candidates: int = 100


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent of questions. Key: name. A question has the first intent with a pattern that matches."""

    name: str
    patterns: tuple[str, ...]
    """Regular expressions, searched for in the lower-case question."""
    policy: Policy = Policy()


@dataclass(frozen=True, slots=True)
class TraversalConfig:
    """Names and policies of one ruleset. Key: (ruleset_id, version)."""

    ruleset_id: str
    version: str
    condition_names: tuple[str, ...] = ()
    spell_names: tuple[str, ...] = ()
    feat_names: tuple[str, ...] = ()
    item_names: tuple[str, ...] = ()
    action_names: tuple[str, ...] = ()
    player_keywords: tuple[str, ...] = ()
    gm_keywords: tuple[str, ...] = ()
    intents: tuple[Intent, ...] = ()

    @classmethod
    def of(cls, chunks: Iterable[Chunk], ruleset_id: str, version: str = "v1") -> "TraversalConfig":
        """Return the names in these books, sorted, with the keywords and intents of the package."""
        names: dict[str, set[str]] = {kind: set() for kind in ("condition", "spell", "feat", "item", "action")}
        for chunk in chunks:
            kind = str(chunk.metadata.get("content_kind"))
            if chunk.kind == "row":
                # A row is below its last heading, as an item is below the heading of its kind.
                kind = kind_by_headings((*chunk.heading_path, "")) or ""
            name = _name(chunk)
            # `Components` is a heading about casting spells, not a spell.
            if kind in names and name and not is_about_kind(name, kind):
                names[kind].add(name)
        return replace(
            _package(),
            ruleset_id=ruleset_id,
            version=version,
            condition_names=tuple(sorted(names["condition"])),
            spell_names=tuple(sorted(names["spell"])),
            feat_names=tuple(sorted(names["feat"])),
            item_names=tuple(sorted(names["item"])),
            action_names=tuple(sorted(names["action"])),
        )

    @classmethod
    def load(cls, store: ArtifactStore, ruleset_id: str, version: str | None = None) -> "TraversalConfig":
        """Return a ruleset's config from an artifact store; without a version, the newest.

        Raises:
            IndexMissingError: the store has none.
            UnreadableSettingsError: a pattern is not a regular expression, or a relation is unknown.
        """
        stored = stored_config(store, ruleset_id, version)
        fields = asdict(stored)
        intents = [
            {"name": name, "patterns": patterns}
            | ({"policy": fields["policies"][name]} if name in stored.policies else {})
            for name, patterns in stored.intent_patterns.items()
        ]
        known = {name: fields[name] for name in fields if name in cls.__dataclass_fields__}
        try:
            return _checked(json.dumps(known | {"intents": intents}), toml=False)
        except (ValidationError, re.error) as error:
            raise UnreadableSettingsError(
                f"the traversal config {stored.version} of {ruleset_id} cannot be used ({error}); write it again"
            ) from error

    @classmethod
    def load_from_mongo(
        cls, ruleset_id: str, mongo_uri: str | None = None, version: str | None = None
    ) -> "TraversalConfig":
        """Return the same from a MongoDB server.

        Args:
            ruleset_id: the id of the ruleset.
            mongo_uri: `mongodb://HOST:PORT/DATABASE`; None: the value of QUERYMUST_MONGO_URI.
            version: the version; None: the newest.

        Raises:
            IndexMissingError: the server cannot be reached, or has no such config.
            UnreadableSettingsError: as for `load`, or no server is named.
        """
        with closing(MongoStore.open(mongo_uri)) as store:
            return cls.load(store, ruleset_id, version)

    def stored(self, now: datetime) -> StoredTraversalConfig:
        """Return it as the record of an artifact store.

        Args:
            now: when it was made; a store that already has its key keeps the earlier time.
        """
        return StoredTraversalConfig(
            self.ruleset_id,
            self.version,
            self.condition_names,
            self.spell_names,
            self.feat_names,
            self.item_names,
            self.action_names,
            self.player_keywords,
            self.gm_keywords,
            intent_patterns={intent.name: intent.patterns for intent in self.intents},
            policies={
                intent.name: TraversalPolicy(intent.policy.relations, intent.policy.depth, intent.policy.candidates)
                for intent in self.intents
            },
            created_at=now,
            updated_at=now,
        )

    def write(self, path: Path) -> None:
        """Write it as indented JSON; readers see either the old file or the new one."""
        write_atomically(path, json.dumps(json.loads(dump_record(self)), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> "TraversalConfig":
        """Read a JSON or TOML file.

        Raises:
            FileNotFoundError: there is no such file.
            UnreadableSettingsError: it is not JSON or TOML, a value has the wrong type, or a pattern is not a regular
                expression.
        """
        try:
            return _checked(path.read_text("utf-8"), toml=path.suffix == ".toml")
        except (ValidationError, ValueError, re.error) as error:
            first = error.errors()[0] if isinstance(error, ValidationError) else {"msg": str(error), "loc": ()}
            position = ".".join(map(str, first["loc"])) or "the file"
            raise UnreadableSettingsError(
                f"{path} is not a traversal config ({position}: {first['msg']}); fix it"
            ) from error


def _checked(text: str, *, toml: bool) -> TraversalConfig:
    config = parse_record(json.dumps(tomllib.loads(text)) if toml else text, TraversalConfig)
    for intent in config.intents:
        for pattern in intent.patterns:
            re.compile(pattern)
    return config


def _package() -> TraversalConfig:
    text = (files("retrieval.understand") / "traversal.toml").read_text("utf-8")
    return _checked(f'ruleset_id = ""\nversion = ""\n{text}', toml=True)


def _name(chunk: Chunk) -> str:
    """Return the name of what a chunk describes, without table notation around it; empty if it has no short name."""
    written = (chunk.row_key or "") if chunk.kind == "row" else _last(chunk.heading_path)
    name = _BRACKET.sub("", written).strip(" *_:.")
    if _HIRED.search(name):
        return ""
    for around in (_ROLLED, _NOTE, _UNIT):
        name = around.sub("", name).strip(" *_:.,")
    words = name.casefold().replace(",", " ").split()
    says = any(_WORD.fullmatch(word) and word not in _NO_NAMES for word in words)
    return name if says and len(words) <= MAX_NAME_WORDS else ""


def _last(path: Sequence[str]) -> str:
    return path[-1] if path else ""
