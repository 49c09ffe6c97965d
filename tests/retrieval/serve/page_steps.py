"""What a test does with the page in a browser: open, wait, click, ask."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import quote

LOOK_UP = "What does a 7th level cleric need to roll to hit AC 6?"


def seen(browser: Any, expression: str, wanted: str = "", seconds: float = 30) -> str:
    """The text of an expression once it has what is wanted."""
    until = time.monotonic() + seconds
    while wanted not in (result := str(browser.run(expression))) or result in ("", "undefined"):
        assert time.monotonic() < until, f"{expression} is {result!r}"
        time.sleep(0.05)
    return result


def text_of(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})?.innerText"


def count_of(selector: str) -> str:
    return f"document.querySelectorAll({json.dumps(selector)}).length"


def click(browser: Any, selector: str) -> None:
    browser.run(f"document.querySelector({json.dumps(selector)}).click()")


def ask(browser: Any, url: str, query: str = LOOK_UP, width: int = 1280, **options: Any) -> None:
    """Open the answer to a question, and wait until it is whole."""
    more = "".join(f"&{name}={value}" for name, value in options.items())
    browser.open(f"{url}/?q={quote(query)}{more}", width)
    seen(browser, text_of(".actions"), "Copy")
    seen(browser, "String(!document.querySelector('#answer.stated') || !!document.querySelector('.read'))", "true")


def asked_since(browser: Any, n: int) -> list[str]:
    """The routes of the API that were asked after the first n requests."""
    browser.run("1")  # what the browser told meanwhile is read with its answer
    return [request.rpartition("/v1/")[2] for request in browser.requests[n:] if "/v1/" in request]


def submit(browser: Any, query: str) -> None:
    browser.run(f"document.getElementById('question').value = {json.dumps(query)}")
    click(browser, "#form .main")
