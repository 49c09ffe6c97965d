"""The API keys of a home, and what each may do."""

import hmac
import json
import secrets
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from retrieval.errors import UnknownNameError, UnreadableSettingsError
from retrieval.files.atomic_files import write_atomically

Scope = Literal["read", "write"]
KEYS_FILE = "api_keys.json"
REQUIRED_FILE = "api_keys_required"
"""Its presence says that this home once had a key. It is apart from the keys, so that their loss opens nothing."""
_PREFIX = "qm_"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """Who may ask. Key: name."""

    name: str
    scope: Scope
    """`write` may bring documents in, and all that `read` may."""
    digest: str
    """SHA-256 of the key. It is 256 random bits, so no salt and no slow hash makes it harder to guess."""

    def allows(self, scope: Scope) -> bool:
        """Whether the key may do what needs this scope."""
        return scope == "read" or self.scope == "write"


class ApiKeys:
    """The keys of one home, read again whenever their file changed.

    Args:
        home: the home folder.
    """

    def __init__(self, home: Path) -> None:
        self.file = home / KEYS_FILE
        self._marker = home / REQUIRED_FILE
        self._read: tuple[tuple[int, int], tuple[ApiKey, ...]] = ((0, 0), ())

    @property
    def required(self) -> bool:
        """Whether the home has, or once had, a key."""
        return bool(self._read[1]) or self._marker.exists() or self.file.exists()

    def remember_required(self) -> None:
        """Keep on asking for a key, whatever becomes of the file of the keys."""
        write_atomically(self._marker, "this home once had an API key: `querymust serve` asks for one\n")

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
                    f"{self.file} is no list of keys, so no key opens anything; restore it, or move it away and make "
                    "new keys: querymust keys add NAME"
                ) from error
            self._read = (changed, tuple(sorted(keys, key=lambda key: key.name)))
        return self._read[1]

    def find(self, secret: str) -> ApiKey | None:
        """The key that a client sent; how long it takes does not tell how much of it is right."""
        digest = _digest(secret)
        keys = [key for key in self.all if hmac.compare_digest(key.digest, digest)]
        return keys[0] if keys else None

    def add(self, name: str, scope: Scope) -> str:
        """Make a key. It is returned here and kept nowhere.

        Raises:
            UnreadableSettingsError: there is a key of this name, or the name is empty.
        """
        if not name.strip() or any(key.name == name for key in self.all):
            raise UnreadableSettingsError(f"a key cannot be called {name!r}: the name is empty, or another key has it")
        secret = _PREFIX + secrets.token_urlsafe(32)
        self._write((*self.all, ApiKey(name, scope, _digest(secret))))
        return secret

    def remove(self, name: str) -> None:
        """Let a key open nothing any more.

        Raises:
            UnknownNameError: no key is called that.
        """
        if not any(key.name == name for key in self.all):
            raise UnknownNameError("key", name, [key.name for key in self.all])
        self._write(tuple(key for key in self.all if key.name != name))

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        self.remember_required()
        write_atomically(self.file, json.dumps([asdict(key) for key in keys], indent=1) + "\n")
        self.file.chmod(0o600)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
