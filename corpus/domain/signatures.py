"""Ed25519 signatures over the bytes of a manifest, so that others can tell who published it.

Signed are the bytes of the file as they are, so any tool that knows Ed25519 can check them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FORMAT = "touchstone-signature"
ALGORITHM = "Ed25519"
_HEX = {32: re.compile(r"[0-9a-f]{64}"), 64: re.compile(r"[0-9a-f]{128}")}


class SignatureError(ValueError):
    """A key or a signature cannot be read; the message says what it should be."""


@dataclass(frozen=True)
class Signature:
    """A signature with the public key it was made for, both in hexadecimal."""

    public_key: str
    signature: str


def sign(data: bytes, private_key: str) -> Signature:
    """Sign with the private key given as 64 hexadecimal digits. Raises SignatureError for anything else."""
    key = Ed25519PrivateKey.from_private_bytes(_bytes("the private key", private_key, 32))
    return Signature(key.public_key().public_bytes_raw().hex(), key.sign(data).hex())


def public_key_of(private_key: str) -> str:
    """Return the public key that belongs to a private one. Raises SignatureError."""
    key = Ed25519PrivateKey.from_private_bytes(_bytes("the private key", private_key, 32))
    return key.public_key().public_bytes_raw().hex()


def is_signed(data: bytes, signature: Signature) -> bool:
    """Say whether the signature is over exactly these bytes, by the key that it names. Raises SignatureError."""
    key = Ed25519PublicKey.from_public_bytes(_bytes("the public key", signature.public_key, 32))
    try:
        key.verify(_bytes("the signature", signature.signature, 64), data)
    except InvalidSignature:
        return False
    return True


def signature_bytes(signature: Signature) -> bytes:
    """Return the signature as a file."""
    stated = {
        "format": FORMAT,
        "algorithm": ALGORITHM,
        "public_key": signature.public_key,
        "signature": signature.signature,
    }
    return (json.dumps(stated, indent=1) + "\n").encode("ascii")


def read_signature(data: bytes) -> Signature:
    """Return the signature that a file holds. Raises SignatureError."""
    try:
        stated = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SignatureError("the file is not JSON") from error
    if not isinstance(stated, dict) or stated.get("format") != FORMAT or stated.get("algorithm") != ALGORITHM:
        raise SignatureError(f"the file does not say that it is a {FORMAT} by {ALGORITHM}")
    found = Signature(str(stated.get("public_key")), str(stated.get("signature")))
    _bytes("the public key", found.public_key, 32)
    _bytes("the signature", found.signature, 64)
    return found


def checked_public_key(text: str) -> str:
    """Return a public key in lower case. Raises SignatureError where it is none."""
    return _bytes("the public key", text.strip().lower(), 32).hex()


def _bytes(what: str, text: str, size: int) -> bytes:
    if not _HEX[size].fullmatch(text):
        raise SignatureError(f"{what} is not {2 * size} lower-case hexadecimal digits")
    return bytes.fromhex(text)
