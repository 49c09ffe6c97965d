"""What a build says at its end: what is new, one line for a cause, the first names of a long list."""

from dataclasses import replace

import pytest

from pipeline.building.book_records import BookEntry
from pipeline.commands.build import print_build, summary
from pipeline.runs.outcomes import Build, RunOutcome
from retrieval.ingest.guard_report import GuardCounts

SLUGS = ("a", "b", "c", "d", "e", "f")
NO_DATE = "some documents have no last_update_date: 1970-01-01 is used"


def outcome(n_embedded: int, n_tables: int = 2) -> RunOutcome:
    vectors: dict[str, object] = {"n_embedded": n_embedded, "n_reused": 10 - n_embedded, "n_deleted": 0}
    return RunOutcome((), {"embeddings": vectors, "tables": {"n_tables": n_tables}})


def built(n_embedded: int = 0, n_guarded: int = 0, **changes: tuple[str, ...]) -> Build:
    books = {slug: outcome(n_embedded) for slug in SLUGS}
    library: dict[str, dict[str, object]] = {"candidate_index": {"n_chunks": 12833, "n_guarded": n_guarded}}
    return Build(slugs=SLUGS, books=books, library=library, **changes)  # type: ignore[arg-type]


def entry(slug: str) -> BookEntry:
    return BookEntry(slug, slug.upper(), "digest", 1, 10, 2, 0, ("logo.png",), (NO_DATE,))


ENTRIES = tuple(map(entry, SLUGS))


def guarded_entry(slug: str, n_tables: int, **reasons: int) -> BookEntry:
    return replace(entry(slug), guards=GuardCounts(n_tables, *2 * (n_tables - sum(reasons.values()),), reasons))


def print_lines(capsys: pytest.CaptureFixture[str], done: Build, *, verbose: bool = False) -> list[str]:
    print_build(done, ENTRIES, verbose=verbose)
    return capsys.readouterr().out.splitlines()


def test_a_build_says_what_it_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    done = built(n_embedded=1, n_guarded=106, changed=("a",), skipped=("b", "c", "d", "e", "f"))
    assert "1 changed (a), 5 unchanged (5 not read again); 6 embedded" in print_lines(capsys, done)[0]
    assert summary(done)["skipped"] == ["b", "c", "d", "e", "f"]
    whole = built(n_guarded=106, skipped=SLUGS)
    assert not [line for line in print_lines(capsys, whole) if line.startswith("Nothing was run")]
    whole.is_unchanged = True
    assert [line for line in print_lines(capsys, whole) if line.startswith("Nothing was run")]
    assert summary(whole)["is_unchanged"] is True


def test_links_that_lead_out_of_the_library_are_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    done = built(refused=("etc", "usr"))
    assert print_lines(capsys, done)[2] == (
        "warning: links that lead out of the library are not followed; replace each with its target (etc, usr)"
    )
    assert summary(done)["refused"] == ["etc", "usr"]


def test_changed_books_are_named_and_the_others_counted(capsys: pytest.CaptureFixture[str]) -> None:
    line = print_lines(capsys, built(1, 106, new=("a",), changed=("b", "c"), gone=("z",)))[0]
    assert line.endswith(": 1 new (a), 2 changed (b, c), 1 gone (z), 3 unchanged; 6 embedded, 54 reused, 0 deleted")
    line = print_lines(capsys, built(1, 106, new=SLUGS))[0]
    assert line.endswith(": 6 new (a, b, c and 3 more); 6 embedded, 54 reused, 0 deleted")


def test_a_build_says_whether_books_or_only_the_embedder_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_lines(capsys, built(n_guarded=106))[0] == (
        "6 books, 12,833 chunks (106 guarded): nothing changed, 0 embedded"
    )
    assert print_lines(capsys, built(10, 1))[0].endswith(": 6 unchanged; 60 embedded, 0 reused, 0 deleted")


def test_one_cause_is_one_line_and_verbose_names_every_place(capsys: pytest.CaptureFixture[str]) -> None:
    short = print_lines(capsys, built(n_guarded=1))
    assert short[1:] == [
        f"warning: {NO_DATE} (6 times: a, b, c and 3 more)",
        "6 files were ignored, because only .md, .mdx and .markdown files are read: "
        "a/logo.png, b/logo.png, c/logo.png and 3 more",
    ]
    long = print_lines(capsys, built(n_guarded=1), verbose=True)
    assert long[1:8] == [f"warning: {NO_DATE}", *(f"  {slug}" for slug in SLUGS)]
    assert long[8].endswith(", ".join(f"{slug}/logo.png" for slug in SLUGS))


def test_no_guarded_row_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_lines(capsys, built())[1].startswith("None of the 12 tables is guarded")
    assert not any("is guarded" in line for line in print_lines(capsys, built(n_guarded=1)))


def test_one_book_has_one_line_about_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    print_build(built(n_guarded=1), [guarded_entry("a", 5, record=2, nameless=1)], verbose=False)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "tables" in line]
    assert line == "5 tables, 2 guarded; not guarded: 2 describe one thing, 1 has rows that no question can name"


def test_several_books_have_a_line_each_and_a_long_list_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    entries = [guarded_entry(f"book-{n:02}", 2 + n, **({"single": n} if n else {})) for n in range(12)]

    def lines(*, verbose: bool) -> list[str]:
        print_build(built(n_guarded=1), entries, verbose=verbose)
        return [line for line in capsys.readouterr().out.splitlines() if "table" in line or "more book" in line]

    short, long = lines(verbose=False), lines(verbose=True)
    assert short[0] == "90 tables, 24 guarded; not guarded: 66 have one row"
    assert short[1] == "  book-11: 13 tables, 2 guarded; not guarded: 11 have one row"
    assert short[-1] == "  and 2 more books; to list all: querymust build --verbose"
    assert (len(short), len(long)) == (12, 13)
    assert long[-1] == "  book-00: 2 tables, 2 guarded"


def test_a_program_is_told_all_of_it() -> None:
    record = summary(built(changed=("b",)), [*ENTRIES[:-1], guarded_entry("f", 3, single=1)])
    assert record["tables"] == {"f": {"n_tables": 3, "n_guarded": 2, "n_guardable": 2, "reasons": {"single": 1}}}
    assert record["changed"] == ["b"]
    assert record["warnings"] == [{"what": NO_DATE, "where": list(SLUGS)}]
    assert record["ignored"] == [f"{slug}/logo.png" for slug in SLUGS]
