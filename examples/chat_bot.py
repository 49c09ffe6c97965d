#!/usr/bin/env python3
"""A chat bot in the terminal, on the HTTP API of `querymust serve`. One file, nothing but the standard library.

Start the server, then talk:

    querymust serve
    python examples/chat_bot.py

Every message is sent with a context key, CHANNEL:USER. A bot in a chat room builds it from the room and from who asks:
the same question of the same key gets the same answer for a while, and nobody else's.
"""

import argparse
import getpass
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

HELP = "Ask anything. /as NAME: be somebody else. /quit, or an empty line: end."


class ServerError(Exception):
    """What the server says went wrong, or that there is none."""


class Bot:
    """Asks a server, on behalf of whoever is talking."""

    def __init__(self, url: str, channel: str, user: str, key: str, how: str) -> None:
        self.url, self.channel, self.user, self.key, self.how = url.rstrip("/"), channel, user, key, how

    def events(self, question: str) -> Iterator[dict[str, Any]]:
        """The server-sent events of an answer: search, context, generation, token by token, complete; or error."""
        body = {"query": question, "how": self.how, "context_key": f"{self.channel}:{self.user}"}
        headers = {"content-type": "application/json"}
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(f"{self.url}/v1/query", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                for line in response:
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])
        except urllib.error.HTTPError as error:
            raise ServerError(_message(error)) from error
        except OSError as error:
            raise ServerError(f"no answer from {self.url} ({error}); start a server with: querymust serve") from error

    def say(self, question: str) -> None:
        """Print the answer as it comes, then where it is from."""
        for event in self.events(question):
            if event["event"] == "error":
                raise ServerError(event["data"])
            if event["event"] == "token":
                print(event["data"], end="", flush=True)
            if event["event"] == "complete":
                _sources(event["answer"])


def _sources(answer: dict[str, Any]) -> None:
    print(answer["text"] if answer["mode"] == "none" else "")
    for each in answer["citations"]:
        first, last = each["lines"]
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        print(f"  [{each['number']}] {each['title']} ({each['book']}/{each['document']}, {lines})")
    if answer["doubts"]:
        print(f"  Not in the passages, look it up: {', '.join(answer['doubts'])}")


def _message(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {error.code}"


def talk(bot: Bot) -> bool:
    """Answer line by line until there is none; whether every question got an answer."""
    asking = sys.stdin.isatty()
    well = True
    if asking:
        print(HELP)
    while True:
        try:
            line = input(f"{bot.user}> " if asking else "").strip()
        except (EOFError, KeyboardInterrupt):
            return well
        if line in {"", "/quit"}:
            return well
        if line.startswith("/as "):
            bot.user = line.removeprefix("/as ").strip()
        else:
            well = _answered(bot, line) and well


def _answered(bot: Bot, question: str) -> bool:
    try:
        bot.say(question)
    except ServerError as error:
        print(f"error: {error}", file=sys.stderr)
        return False
    return True


def main() -> int:
    """The command; 1 where a question got no answer."""
    parser = argparse.ArgumentParser(
        description="A chat bot in the terminal on the HTTP API of `querymust serve`.",
        epilog='example: chat_bot.py --channel tavern --user ann "What does a mace cost?"',
    )
    parser.add_argument("question", nargs="*", help="what to ask; without one, a conversation until an empty line")
    parser.add_argument("--url", default="http://127.0.0.1:8377", help="of the server (%(default)s)")
    parser.add_argument("--channel", default="terminal", help="first part of the context key (%(default)s)")
    parser.add_argument("--user", default=getpass.getuser(), help="its second part (%(default)s)")
    parser.add_argument("--key", default=os.environ.get("QUERYMUST_KEY", ""), help="of the API; else QUERYMUST_KEY")
    parser.add_argument("--how", choices=["auto", "read", "generate"], default="auto", help="who words the answer")
    given = parser.parse_args()
    bot = Bot(given.url, given.channel, given.user, given.key, given.how)
    answered = [_answered(bot, each) for each in given.question] or [talk(bot)]
    return 0 if all(answered) else 1


if __name__ == "__main__":
    sys.exit(main())
