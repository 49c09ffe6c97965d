"""`tables.toml`: what is read of it, and how a wrong one is refused."""

import json
from pathlib import Path

import pytest

from retrieval.errors import LibraryError
from retrieval.ingest.library.book import read_book
from retrieval.ingest.library.library import list_books, stray_files
from retrieval.ingest.library.table_rules import FIND_KEYS, KEYS, read_table_rules
from retrieval.types import Find, TableRule

WHOLE = """
[[table]]
find = { heading = "Movement", head = "Terrain" }
caption = "Movement by Terrain"
key = "Terrain"
subject = "travel"
names = { Forest = ["woods", "woodland"], Swamp = "bog" }
query_must = { contain_one_of = [["terrain", "ground"]] }

[table.row_query_must]
Forest = '{"contain": "forest"}'
Swamp = [["swamp"]]

[[table]]
find = { caption = "Omens" }
open = true
"""


def rules_of(folder: Path, text: str) -> tuple[TableRule, ...]:
    (folder / "tables.toml").write_text(text, "utf-8")
    return read_table_rules(folder)


def refused(folder: Path, entry: str) -> str:
    with pytest.raises(LibraryError) as caught:
        rules_of(folder, f'[[table]]\nfind = {{ heading = "A" }}\nopen = true\n[[table]]\n{entry}\n')
    (line,) = str(caught.value).splitlines()
    assert "tables.toml: entry 2: " in line
    return line


def test_every_key_is_read(tmp_path: Path) -> None:
    first, second = rules_of(tmp_path, WHOLE)
    assert first == TableRule(
        entry=1,
        find=Find(heading="Movement", head="Terrain"),
        caption="Movement by Terrain",
        key="Terrain",
        subject=("travel",),
        names={"Forest": ("woods", "woodland"), "Swamp": ("bog",)},
        query_must='{"contain_one_of": [["terrain", "ground"]]}',
        row_query_must={"Forest": '{"contain": "forest"}', "Swamp": '{"contain_one_of": [["swamp"]]}'},
    )
    assert second == TableRule(2, Find(caption="Omens"), open=True)
    used = {name for name in KEYS if f"{name} =" in WHOLE or f"[table.{name}]" in WHOLE}
    assert used == set(KEYS)


def test_without_the_file_there_are_no_rules(tmp_path: Path) -> None:
    assert read_table_rules(tmp_path) == ()
    assert rules_of(tmp_path, "# nothing yet\n") == ()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('find = { heading = "B" }', "it sets nothing; give one of caption, key"),
        ("open = true", "find is empty; give one of heading, caption, head"),
        ("find = { }\nopen = true", "find is empty"),
        ('find = "B"\nopen = true', "find is 'B'; write it as a table"),
        ('find = { title = "B" }\nopen = true', "find has 'title'; it may have heading, caption, head"),
        ('heading = "B"\nopen = true', "it has 'heading'; it may have find, caption,"),
        ('find = { heading = "B" }\nnamse = {}', "it has 'namse'; it may have find, caption, key, subject, names"),
        ("find = { heading = 3 }\nopen = true", "find.heading is 3; write words in quotes"),
        ('find = { heading = "B" }\ncaption = " : "', "caption is ' : '; write words in quotes"),
        ('find = { heading = "B" }\nopen = "yes"', "open is 'yes'; write true or false"),
        ('find = { heading = "B" }\nsubject = []', "subject is []; write words in quotes"),
        ('find = { heading = "B" }\nnames = ["woods"]', "names is ['woods']; write it as a table"),
        ('find = { heading = "B" }\nnames = { Forest = [3] }', "names.Forest is 3; write words in quotes"),
        ('find = { heading = "B" }\nnames = { Forest = "a", "forest*" = "b" }', "names has one row twice"),
        (
            'find = { heading = "B" }\nnames = { "*" = "drive" }',
            "names.* has 'drive', which would be the name of every",
        ),
        ('find = { heading = "B" }\nrow_query_must = { "*" = { contain = "x" } }', "a row of row_query_must is '*'"),
        ('find = { heading = "B" }\nquery_must = { contian = "x" }', "query_must: query_must has an unknown operator"),
        ('find = { heading = "B" }\nquery_must = "contain x"', "query_must: "),
        ('find = { heading = "B" }\nquery_must = 3', "query_must is 3; write it as a table"),
        ('find = { heading = "B" }\nquery_must = {}', "query_must is {}; write an object of operators"),
        ('find = { heading = "B" }\nquery_must = { contain_no_rival = { table = "t", row = 1 } }', "given by the rule"),
        ('find = { heading = "B" }\nrow_query_must = { Forest = { contain = [] } }', "row_query_must.Forest: contain"),
        ('find = { heading = "B" }\nopen = true\nquery_must = { contain = "x" }', "it is open and has a query_must"),
    ],
)
def test_a_wrong_entry_is_one_line_that_names_it(tmp_path: Path, entry: str, says: str) -> None:
    assert says in refused(tmp_path, entry)


def test_a_key_that_belongs_into_find_is_told_so(tmp_path: Path) -> None:
    assert refused(tmp_path, 'head = "B"\nopen = true').endswith("; keys that find a table belong in find")
    assert not refused(tmp_path, 'find = { heading = "B" }\nname = "x"').endswith("in find")
    assert set(FIND_KEYS) & set(KEYS) == {"caption"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[table]]\nfind = {", "tables.toml: "),
        ("[table]\nopen = true", "has table; begin each entry with [[table]]"),
        ("[[tables]]\nopen = true", "has tables; begin each entry with [[table]]"),
        ("table = [3]", "entry 1: it is 3; write it as a table"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(LibraryError) as caught:
        rules_of(tmp_path, text)
    assert says in str(caught.value)
    assert "tables.toml" in str(caught.value)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "tables.toml").write_bytes(b"# \xff")
    with pytest.raises(LibraryError, match=r"tables\.toml: .*utf-8"):
        read_table_rules(tmp_path)


def test_a_change_of_the_file_is_a_change_of_the_book(tmp_path: Path) -> None:
    book = tmp_path / "rules"
    book.mkdir()
    (book / "01.md").write_text("# A\n")
    digests = [list_books(tmp_path)[0].digest]
    for text in (WHOLE, WHOLE.replace("bog", "mire")):
        (book / "tables.toml").write_text(text)
        digests.append(list_books(tmp_path)[0].digest)
    assert len(set(digests)) == 3
    read = read_book(list_books(tmp_path)[0])
    assert [rule.entry for rule in read.table_rules] == [1, 2]
    assert read.ignored == ()
    assert json.loads(read.table_rules[0].query_must or "")["contain_one_of"] == [["terrain", "ground"]]


def test_beside_the_books_the_file_is_a_stray(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "01.md").write_text("# A\n")
    (tmp_path / "tables.toml").write_text(WHOLE)
    assert stray_files(tmp_path) == ("tables.toml",)
