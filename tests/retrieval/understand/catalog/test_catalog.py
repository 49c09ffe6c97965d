from retrieval.understand.catalog.catalog import Catalog, Described
from tests.retrieval.understand.conftest import Archive


def test_the_kinds_of_an_archive(archive: Archive) -> None:
    kinds = {name: (field.kind, field.listed) for name, field in archive.catalog.fields.items()}
    assert kinds == {
        "director": ("person", True),
        "season": ("text", False),
        "status": ("text", False),
        "genre": ("text", True),
        "premiere_date": ("date", False),
        "seats": ("number", False),
        "script_versions": ("version", True),
        "touring": ("flag", False),
    }


def test_documents_are_called_as_their_names_and_titles_call_them(archive: Archive) -> None:
    assert {"show", "programme", "document"} <= archive.catalog.nouns
    assert "ladder" not in archive.catalog.nouns


def test_what_the_titles_under_a_value_share_goes_with_it() -> None:
    documents = [Described(f"{n}.md", f"Schedule of 3.{n}", {"topic": "Release"}) for n in range(5)]
    documents += [Described(f"x{n}.md", f"Thoughts about {n}", {"topic": "Other"}) for n in range(15)]
    found = Catalog.of(documents)
    assert "schedule" in found.companions["topic", "Release"]


def test_versions_know_the_number_that_rises_with_them() -> None:
    documents = [
        Described(f"{n}", "", {"versions": (f"3.{n}", "3.40"), "version_key": 300 + n, "pages": n % 3})
        for n in range(9, 14)
    ]
    field = Catalog.of(documents).fields["versions"]
    assert field.ordered_by == "version_key"
    assert field.orders == {"3.9": 309, "3.10": 310, "3.11": 311, "3.12": 312, "3.13": 313}
