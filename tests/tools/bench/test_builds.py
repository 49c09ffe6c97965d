import json
from pathlib import Path

from typer.testing import CliRunner

from tools.cli import app

TABLE = "# Weapons\n\n| Weapon | Damage |\n|---|---|\n" + "".join(f"| Blade {n} | 1d{n} |\n" for n in range(1, 40))


def builds(folder: Path) -> dict[str, object]:
    (folder / "arms").mkdir()
    (folder / "arms" / "01.md").write_text(TABLE)
    done = CliRunner().invoke(
        app, ["bench", "builds", "--library", str(folder), "--times", "2", "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    (book,) = json.loads(done.stdout)["books"]
    assert isinstance(book, dict)
    return book


def test_builds_that_went_live_are_counted(tmp_path: Path) -> None:
    book = builds(tmp_path)
    assert {name: book[name] for name in ("book", "builds", "live", "exact", "deaf_at_last")} == {
        "book": "arms",
        "builds": 2,
        "live": 2,
        "exact": 2,
        "deaf_at_last": 0,
    }
