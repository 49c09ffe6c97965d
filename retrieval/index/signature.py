"""Ed25519 signatures (RFC 8032) of what is pushed: readers that know the public key pull nothing that another wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.errors import TransferError, UnreadableSettingsError
from retrieval.files.versions import install

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_MAKE = (
    "make a pair with: openssl genpkey -algorithm ed25519 -out KEY.pem; openssl pkey -in KEY.pem -pubout -out PUB.pem"
)


class Signer:
    """Signs with a private key.

    Args:
        path: PEM file of an Ed25519 key without a password.

    Raises:
        UnreadableSettingsError: the file is no such key, or the library that reads it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._key: Ed25519PrivateKey = _key(path, is_private=True)

    def sign(self, content: bytes) -> bytes:
        """Return the signature, 64 bytes."""
        return self._key.sign(content)


class Verifier:
    """Checks signatures with a public key.

    Args:
        path: PEM file of an Ed25519 public key.

    Raises:
        UnreadableSettingsError: the file is no such key, or the library that reads it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key: Ed25519PublicKey = _key(path, is_private=False)

    def require(self, content: bytes, signature: bytes | None, where: str) -> None:
        """Require that the owner of the key signed the content.

        Args:
            content: as it was fetched.
            signature: None where there is none.
            where: the name of the content in an error.

        Raises:
            TransferError: it has no signature, or another one.
        """
        from cryptography.exceptions import InvalidSignature

        if signature is None:
            raise TransferError(f"{where} is not signed; run where the index is built: querymust push --sign KEY.pem")
        try:
            self._key.verify(signature, content)
        except InvalidSignature:
            raise TransferError(
                f"{where} is not signed by the owner of {self._path}: it was changed, or another key signed it; "
                "nothing was fetched"
            ) from None


def _key(path: Path, *, is_private: bool) -> Any:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise UnreadableSettingsError(f"signatures need a Python package ({error}): {install('signing')}") from error
    kind = "private" if is_private else "public"
    try:
        content, load_public = path.read_bytes(), serialization.load_pem_public_key
        key = serialization.load_pem_private_key(content, None) if is_private else load_public(content)
    except (OSError, ValueError, TypeError) as error:
        raise UnreadableSettingsError(f"{path} cannot be read as a {kind} key ({error}); {_MAKE}") from error
    if not isinstance(key, ed25519.Ed25519PrivateKey if is_private else ed25519.Ed25519PublicKey):
        raise UnreadableSettingsError(f"{path} is not an Ed25519 {kind} key; {_MAKE}")
    return key
