"""What a server counts, for Prometheus: the one place that knows its library."""

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

TEXT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Measuring:
    """Counters of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("querymust_requests", "Requests that were answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "querymust_request_seconds",
            "Until the last byte of an answer was sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._open = Gauge("querymust_requests_open", "Requests that are being answered.", registry=self._registry)
        self._excluded = Counter(
            "querymust_chunks_excluded", "Chunks that query_must kept out of the first k.", registry=self._registry
        )

    def begun(self) -> None:
        """A request came."""
        self._open.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered, or its client is gone."""
        self._open.dec()
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def kept_out(self, count: int) -> None:
        """Chunks of one search that a predicate kept out."""
        self._excluded.inc(count)

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self._registry)
