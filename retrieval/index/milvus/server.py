"""The address of a Milvus server, where the setting `store` names one."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retrieval.errors import UnreadableSettingsError

SCHEMES = {"milvus+http": "http", "milvus+https": "https"}
TOKEN = "QUERYMUST_MILVUS_TOKEN"  # noqa: S105
"""Variable with `USER:PASSWORD` or an API key; a setting would keep it in a file."""
_LIBRARY = "querymust"
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")


@dataclass(frozen=True, slots=True)
class MilvusServer:
    """Where a server keeps the chunks of one snapshot, `milvus+http://HOST:PORT/LIBRARY`."""

    uri: str
    """As its client takes it."""
    library: str
    """Alias of the live collection, and the beginning of the name of each; two libraries need two."""
    snapshot: str
    """Id of the snapshot; ends the name of its collection."""
    token: str = field(default="", repr=False)

    @property
    def collection(self) -> str:
        """Of the snapshot, which alone is in it."""
        return f"{self.library}_{self.snapshot}"

    @classmethod
    def of(cls, store: str | None, snapshot: str, environment: Mapping[str, str] = os.environ) -> MilvusServer | None:
        """The server that the setting `store` names; None where it names none: candidates come from our own files.

        Raises:
            UnreadableSettingsError: it is no such address.
        """
        if not store:
            return None
        try:
            parts = urlsplit(store)
            host, port = parts.hostname, parts.port or 19530
        except ValueError:
            host, port, parts = None, 0, urlsplit("")
        library = parts.path.strip("/") or _LIBRARY
        if parts.scheme not in SCHEMES or not host or not _NAME.fullmatch(library) or parts.username:
            # What stands before an @ may be a password.
            shown = store.rpartition("@")[2]
            raise UnreadableSettingsError(
                f"store is {shown!r}, not an address like milvus+http://127.0.0.1:19530 or "
                f"milvus+http://HOST:PORT/LIBRARY; fix it, and put a password into {TOKEN}"
            )
        where = f"[{host}]" if ":" in host else host
        return cls(f"{SCHEMES[parts.scheme]}://{where}:{port}", library, snapshot, environment.get(TOKEN, ""))
