"""The routes of the server; the only module that uses FastAPI."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from retrieval.errors import RetrievalError
from retrieval.serve.access import ICON, PAGE, AccessMiddleware, content_of
from retrieval.serve.api_keys import ApiKeys
from retrieval.serve.browsing import Block, DocumentEntry, ShelfBook, WholeTable
from retrieval.serve.errors import NOT_READY, STATUSES, UNKNOWN, ErrorBody, problem_of, status_of
from retrieval.serve.logs import TEXT_TYPE, Measuring, RequestLog
from retrieval.serve.request_limits import Limits, RateLimit
from retrieval.serve.schema import (
    AskBody,
    ErrorResponse,
    EvaluationRecord,
    ExplainBody,
    FeedbackBody,
    IngestBody,
    QueryBody,
    RetrievalRecord,
    RetrieveBody,
)
from retrieval.serve.service import Service
from retrieval.types import Embedder

_ONLY_OURS = {
    "content-security-policy": (
        "default-src 'self'; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
AT_ONCE = 40
"""Answers that one process works on at a time; as many as the framework has threads for searches."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})

_FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorResponse, "description": about} for status, about in STATUSES.items()
}
_STREAM_FAILURES: dict[int | str, dict[str, Any]] = {
    # With a model, the schema would declare them as events as well.
    status: {
        "description": about,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}},
    }
    for status, about in STATUSES.items()
}


def key_policy(host: str, *, no_keys: bool) -> bool | None:
    """Return whether a server that listens on a host needs a key; None: if the home has, or once had, one."""
    if host not in LOOPBACK:
        return True
    return False if no_keys else None


def create_app(
    home: Path,
    *,
    host: str = "127.0.0.1",
    limits: Limits = Limits(),  # noqa: B008
    embedder: Embedder | None = None,
    environment: Mapping[str, str] = os.environ,
    log_questions: bool = False,
    keep_questions: bool = False,
    strategy: str | None = None,
    examples: Callable[[], Sequence[str]] = tuple,
    evaluation: Callable[[], EvaluationRecord | None] = lambda: None,
    no_keys: bool = False,
    responses_until_close: int | None = None,
) -> AccessMiddleware:
    """Return the application of a home.

    Args:
        host: the address that it will listen on; except on loopback, a key is needed.
        embedder: makes vectors; None: that of the home and the index.
        environment: the environment variables, which may contain the key of a chat model.
        keep_questions: whether to store questions in the home.
        strategy: how to search if a request does not set it; None: the strategy of the home's settings.
        examples: returns questions that the live index was scored with, for the page before the first question; empty:
            the page offers look-ups in the tables.
        evaluation: returns the scores of the live index; None: it was not scored.
        no_keys: whether the server on loopback needs no key even if the home has or once had one.
        responses_until_close: see `AccessMiddleware`.

    Raises:
        UnreadableSettingsError: the settings cannot be read, or a value cannot be used.
    """
    service = Service(
        home,
        seconds=limits.seconds,
        embedder=embedder,
        environment=environment,
        keep_questions=keep_questions,
        strategy=strategy,
    )
    measuring = Measuring()
    app = FastAPI(
        title="querymust",
        summary="Retrieval over reference books: every table row knows which questions it is for.",
        version="1",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(service),
    )
    log = RequestLog(log_questions)
    _add_questions(app, service, measuring, log)
    _add_documents(app, service)
    _add_books(app, service)
    _add_watching(app, service, measuring, examples, evaluation)
    _add_page(app)
    _add_failures(app, service.home.root)
    on_loopback = host in LOOPBACK
    keys = ApiKeys(service.home.root)
    if keys.required:
        with suppress(OSError):  # a home that may only be read
            keys.remember_required()
    needs_key = key_policy(host, no_keys=no_keys)
    hosts = LOOPBACK if on_loopback else frozenset[str]()
    rate = RateLimit(limits.requests_per_minute)
    return AccessMiddleware(
        app, keys, needs_key, hosts, limits, rate, measuring, service.home.root, log, responses_until_close
    )


def _lifespan(service: Service) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Answers use threads of the loop, searches those of the framework: there are as many of each, so that neither
        # waits while the other is served.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(AT_ONCE))
        await asyncio.to_thread(service.warm_up)
        yield
        service.close()

    return lifespan


def _add_questions(app: FastAPI, service: Service, measuring: Measuring, log: RequestLog) -> None:
    @app.post("/v1/retrieve", response_model=RetrievalRecord, responses=_FAILURES, tags=["questions"])
    def retrieve(body: RetrieveBody) -> dict[str, Any]:
        """The chunks that answer a question, best first, and why other chunks were excluded."""
        record = service.retrieve(
            body.query,
            body.k,
            body.strategy,
            body.where,
            body.min_relevance,
            filtered=body.query_must,
            rendered=body.rendered,
        )
        measuring.kept_out(record["receipt"]["excluded"] or 0)
        return record

    @app.post("/v1/ask", responses=_FAILURES, tags=["questions"])
    def ask(body: AskBody) -> dict[str, Any]:
        """The documents that match a question: its conditions filter, its categories rank, comparisons are split."""
        return service.ask(body.query, body.top_k, body.where, body.how)

    @app.post("/v1/query", response_class=EventSourceResponse, responses=_STREAM_FAILURES, tags=["questions"])
    @app.post(
        "/api/ruleslawyer/query",
        response_class=EventSourceResponse,
        responses=_STREAM_FAILURES,
        tags=["questions"],
    )
    async def query(body: QueryBody) -> AsyncIterator[ServerSentEvent]:
        """The answer as server-sent events: search, context, generation, token, complete; or error."""
        try:
            async for event in service.answer(body.query, body.how, body.context_key, body.where):
                yield ServerSentEvent(event=event["event"], raw_data=json.dumps(event, ensure_ascii=False))
        except Exception as error:
            # A stream that breaks off would look complete.
            log.error(error)
            yield ServerSentEvent(event="error", raw_data=json.dumps({"event": "error", "data": UNKNOWN.message}))

    @app.post("/v1/explain", responses=_FAILURES, tags=["questions"])
    def explain(body: ExplainBody) -> dict[str, Any]:
        """Why a chunk is included or excluded, its rank with and without the filter, and the parts of its score."""
        return service.explain(body.query, body.chunk_id, body.strategy)

    @app.post("/v1/feedback", status_code=204, responses=_FAILURES, tags=["questions"])
    def feedback(body: FeedbackBody) -> None:
        """Store a person's judgement of a hit. Nothing changes because of it until you use the feedback."""
        service.feedback(body.query, body.chunk_id, body.verdict, body.note)


def _add_documents(app: FastAPI, service: Service) -> None:
    @app.post("/v1/ingest", responses=_FAILURES, tags=["documents"])
    def ingest(body: IngestBody) -> dict[str, Any]:
        """Add documents in one new index; `errors` and `warnings` list those that failed."""
        return asdict(service.ingest([document.document() for document in body.documents]))


def _add_books(app: FastAPI, service: Service) -> None:
    @app.get("/v1/books", responses=_FAILURES, tags=["books"])
    def books() -> Sequence[ShelfBook]:
        """The books of the live index."""
        return service.books()

    @app.get("/v1/books/{book}", responses=_FAILURES, tags=["books"])
    def documents(book: str) -> Sequence[DocumentEntry]:
        """The documents of a book, each with its tables."""
        return service.documents(book)

    @app.get("/v1/books/{book}/{document:path}", responses=_FAILURES, tags=["books"])
    def document(book: str, document: str) -> Sequence[Block]:
        """The content of a document in reading order, with only the first rows of a long table."""
        return service.document(book, document)

    @app.get("/v1/tables/{chunk_id}", responses=_FAILURES, tags=["books"])
    def table(chunk_id: str) -> WholeTable:
        """The whole table of a row."""
        return service.table(chunk_id)


def _add_watching(
    app: FastAPI,
    service: Service,
    measuring: Measuring,
    examples: Callable[[], Sequence[str]],
    evaluation: Callable[[], EvaluationRecord | None],
) -> None:
    @app.get("/v1/status", responses=_FAILURES, tags=["watching"])
    def status() -> dict[str, Any]:
        """The live index."""
        return service.status() | {"examples": tuple(examples()) or service.examples()}

    @app.get("/v1/evaluation", responses=_FAILURES, tags=["watching"])
    def scores() -> EvaluationRecord | None:
        """The scores of the live index on its test questions; null if it was not scored."""
        return evaluation()

    @app.get("/healthz", responses={503: _FAILURES[503]}, tags=["watching"])
    def healthz() -> Response:
        """Whether the server can answer a question now."""
        if service.is_ready():
            return JSONResponse({"status": "ok"})
        return _failure(status_of(NOT_READY), problem_of(NOT_READY, service.home.root))

    @app.get("/metrics", response_class=PlainTextResponse, responses=_FAILURES, tags=["watching"])
    def metrics() -> Response:
        """Counters of this process, for Prometheus."""
        return Response(measuring.text(), media_type=TEXT_TYPE)


def _add_page(app: FastAPI) -> None:
    for path, name in PAGE.items():
        app.add_route(path, _sends(*content_of(name)), include_in_schema=False)
    app.add_route(ICON, lambda _: Response(status_code=204), include_in_schema=False)


def _sends(content: bytes, kind: str) -> Callable[[Request], Response]:
    return lambda _: Response(content, media_type=kind, headers=_ONLY_OURS)


def _add_failures(app: FastAPI, home: Path) -> None:
    @app.exception_handler(RetrievalError)
    def known(_: Request, error: RetrievalError) -> Response:
        return _failure(status_of(error), problem_of(error, home))

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        position = ".".join(str(part) for part in first["loc"])
        if position == "body" and "json" not in request.headers.get("content-type", ""):
            return _failure(422, ErrorBody("InvalidBody", "body: send it with Content-Type: application/json"))
        status = 400 if first["type"] == "json_invalid" else 422
        return _failure(status, ErrorBody("InvalidBody", f"{position}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    def refused(_: Request, error: HTTPException) -> Response:
        problem = ErrorBody("NoSuchRoute", f"{error.detail}; GET /openapi.json lists the routes and their methods")
        if error.status_code == 400:
            problem = ErrorBody("InvalidBody", "body: it is not JSON in UTF-8")
        response = _failure(error.status_code, problem)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    def unknown(_: Request, __: Exception) -> Response:
        return _failure(500, UNKNOWN)  # the framework raises it again, and the guard logs it


def _failure(status: int, problem: ErrorBody) -> Response:
    return JSONResponse(problem.to_json(), status_code=status)
