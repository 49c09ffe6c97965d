"""An empty database of MongoDB: of its stand-in in memory, and of a server where one is named."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

import mongomock
import pytest

from retrieval.artifacts.mongo_store import URI

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["mongomock", "server"])
def mongo_uri(request: pytest.FixtureRequest) -> Iterator[str]:
    """Its address."""
    if request.param == "mongomock":
        with mongomock.patch((("rules.example", 27017),)):
            yield "mongodb://rules.example:27017/shelf"
        return
    if not os.environ.get(URI):
        pytest.skip(f"no MongoDB server; name one with {URI}")
    from pymongo import MongoClient

    name = f"querymust_test_{uuid.uuid4().hex}"
    server = os.environ[URI].partition("?")[0].rstrip("/")
    yield f"{'/'.join(server.split('/')[:3])}/{name}"
    with MongoClient(os.environ[URI]) as client:
        client.drop_database(name)
