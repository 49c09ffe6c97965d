"""The API keys of a home, and what each allows."""

import fcntl
import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import UnknownNameError, UnreadableSettingsError
from retrieval.files.atomic_files import make_folder, write_atomically
from retrieval.files.locks import locked_when_free

Scope = Literal["read", "write"]
KEYS_FILE = "api_keys.json"
REQUIRED_FILE = "api_keys_required"
"""If it exists, this home has or once had a key. It is separate from the keys, so that their loss gives no access."""
_PREFIX = "qm_"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key. Key: name."""

    name: str
    scope: Scope
    """`write` allows ingestion, and everything that `read` allows."""
    digest: str
    """SHA-256 of the key, which is 256 random bits, so a salt or a slow hash would not make it harder to guess."""

    def allows(self, scope: Scope) -> bool:
        """Whether the key allows requests with this scope."""
        return scope == "read" or self.scope == "write"


class ApiKeys:
    """The keys of one home, read again whenever their file changes."""

    def __init__(self, home: Path) -> None:
        self.file = home / KEYS_FILE
        self._marker = home / REQUIRED_FILE
        self._read: tuple[tuple[int, int], tuple[ApiKey, ...]] = ((0, 0), ())

    @property
    def required(self) -> bool:
        """Whether the home has, or once had, a key."""
        return bool(self._read[1]) or self._marker.exists() or self.file.exists()

    def remember_required(self) -> None:
        """Require a key from now on, whatever happens to the file of keys."""
        write_atomically(self._marker, "this home once had an API key: `querymust serve` requires one\n")

    @property
    def all(self) -> tuple[ApiKey, ...]:
        """Every key, by name.

        Raises:
            UnreadableSettingsError: the file is damaged.
        """
        try:
            status = self.file.stat()
        except FileNotFoundError:
            return ()
        changed = (status.st_mtime_ns, status.st_ino)
        if changed != self._read[0]:
            try:
                keys = TypeAdapter(list[ApiKey]).validate_json(self.file.read_bytes())
            except (ValidationError, OSError) as error:
                raise UnreadableSettingsError(
                    f"{self.file} is not a list of keys, so no key is valid; restore it, or move it away and "
                    "create new keys: querymust keys add NAME"
                ) from error
            self._read = (changed, tuple(sorted(keys, key=lambda key: key.name)))
        return self._read[1]

    def find(self, secret: str) -> ApiKey | None:
        """Return the key that a client sent; the time it takes does not reveal how much of it is right."""
        digest = _digest(secret)
        keys = [key for key in self.all if hmac.compare_digest(key.digest, digest)]
        return keys[0] if keys else None

    def add(self, name: str, scope: Scope) -> str:
        """Make a key and return it. The key itself is not stored.

        Raises:
            UnreadableSettingsError: there is a key of this name, or the name is empty.
        """
        secret = _PREFIX + secrets.token_urlsafe(32)
        with self._changing():
            if not name.strip() or any(key.name == name for key in self.all):
                raise UnreadableSettingsError(
                    f"a key cannot be called {name!r}: the name is empty, or another key has it"
                )
            self._write((*self.all, ApiKey(name, scope, _digest(secret))))
        return secret

    def remove(self, name: str) -> None:
        """Delete a key, so that it no longer gives access.

        Raises:
            UnknownNameError: no key has that name.
        """
        with self._changing():
            if not any(key.name == name for key in self.all):
                raise UnknownNameError("key", name, [key.name for key in self.all])
            self._write(tuple(key for key in self.all if key.name != name))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Prevent other processes from changing the keys: one that wrote what it read before would restore a removed
        key."""
        make_folder(self.file.parent)
        with locked_when_free(self.file.with_suffix(".lock"), fcntl.LOCK_EX):
            yield

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        self.remember_required()
        write_atomically(self.file, json.dumps([asdict(key) for key in keys], indent=1) + "\n")
        self.file.chmod(0o600)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
