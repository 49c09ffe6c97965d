"""Signed snapshots: readers that know a public key pull only what its owner pushed."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from retrieval.errors import TransferError, UnreadableSettingsError
from retrieval.index.signature import Signer, Verifier
from retrieval.index.snapshot.live import live_id
from retrieval.index.transfer import SIGNATURE_FILE, live_at, path_of, pull_snapshot, push_snapshot
from tests.retrieval.index.conftest import nobody


def written_key(folder: Path, name: str, key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> Path:
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    public.write_bytes(key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))
    return private


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return written_key(tmp_path, "mine", ed25519.Ed25519PrivateKey.generate())


def verifier_of(private: Path) -> Verifier:
    return Verifier(private.with_suffix(".pub.pem"))


def test_a_signed_snapshot_is_pulled_by_who_knows_the_key_and_by_who_does_not(builder, folder, mine, tmp_path):
    push_snapshot(builder, folder, nobody, signer=Signer(mine))
    assert pull_snapshot(tmp_path / "a", folder, nobody, verifier=verifier_of(mine)).snapshot == live_id(builder)
    assert pull_snapshot(tmp_path / "b", folder, nobody).snapshot == live_id(builder)


def test_what_was_pushed_without_a_signature_is_signed_later_and_sends_no_file_again(builder, folder, mine, tmp_path):
    push_snapshot(builder, folder, nobody)
    with pytest.raises(TransferError, match="is not signed; run where the index is built"):
        pull_snapshot(tmp_path / "a", folder, nobody, verifier=verifier_of(mine))
    assert live_id(tmp_path / "a") is None
    assert push_snapshot(builder, folder, nobody, signer=Signer(mine)).sent == 0
    pull_snapshot(tmp_path / "a", folder, nobody, verifier=verifier_of(mine))


def test_what_another_key_signed_is_refused_before_a_file_is_fetched(builder, folder, mine, tmp_path):
    other = written_key(tmp_path, "other", ed25519.Ed25519PrivateKey.generate())
    push_snapshot(builder, folder, nobody, signer=Signer(other))
    with pytest.raises(TransferError, match="another key signed it; nothing was fetched"):
        pull_snapshot(tmp_path / "a", folder, nobody, verifier=verifier_of(mine))
    assert not list((tmp_path / "a").rglob("*.npy"))


def test_a_list_that_was_changed_is_refused_though_all_its_hashes_are_right(builder, folder, mine, tmp_path):
    push_snapshot(builder, folder, nobody, signer=Signer(mine))
    file = tmp_path / "place" / path_of(live_at(folder) or "")
    listing = json.loads(file.read_bytes())
    listing["built"] = "2001-01-01T00:00:00Z"
    file.write_text(json.dumps(listing))
    pull_snapshot(tmp_path / "a", folder, nobody)
    with pytest.raises(TransferError, match="is not signed by the owner"):
        pull_snapshot(tmp_path / "b", folder, nobody, verifier=verifier_of(mine))


def test_files_that_are_sent_again_without_a_key_lose_the_signature(builder, folder, mine, tmp_path):
    push_snapshot(builder, folder, nobody, signer=Signer(mine))
    snapshot = live_at(folder) or ""
    (tmp_path / "place" / path_of(snapshot, "manifest.json")).unlink()
    push_snapshot(builder, folder, nobody, check=True)
    assert folder.read(path_of(snapshot, SIGNATURE_FILE)) is None


def test_a_file_that_is_no_such_key_is_refused_with_how_to_make_one(tmp_path: Path, mine: Path) -> None:
    curve = written_key(tmp_path, "curve", ec.generate_private_key(ec.SECP256R1()))
    (tmp_path / "words.pem").write_text("words")
    for path in (curve, tmp_path / "words.pem", tmp_path / "none.pem", mine.with_suffix(".pub.pem")):
        with pytest.raises(UnreadableSettingsError, match="make a pair with: openssl genpkey -algorithm ed25519"):
            Signer(path)
    for path in (curve.with_suffix(".pub.pem"), mine):
        with pytest.raises(UnreadableSettingsError, match=r"public key"):
            Verifier(path)
