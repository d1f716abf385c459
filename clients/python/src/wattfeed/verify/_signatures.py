"""Signatures with Casper's keys.

Casper verifies Ed25519 strictly, and refuses the larger of both values of s of secp256k1. OpenSSL, on which
the library `cryptography` relies, does neither. So these checks are made here.
"""

from __future__ import annotations

import re
from functools import lru_cache

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256
except ImportError as error:
    raise ImportError("Signatures need the library cryptography: pip install cryptography") from error

from ._bytes import MalformedError

_FIELD = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_SMALL = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _FIELD - 1, _SMALL, _FIELD - _SMALL})
_SECP256K1_ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141

_PUBLIC_KEY = re.compile(r"(?:00|01[0-9a-f]{64}|02[0-9a-f]{66})\Z", re.IGNORECASE | re.ASCII)
_SIGNATURE = re.compile(r"0[12][0-9a-f]{128}\Z")


def public_key(value: object) -> str:
    """Reads a public key, and gives its hex in lower case.

    >>> public_key("01" + "AB" * 32)[:6]
    '01abab'
    """
    if not isinstance(value, str) or _PUBLIC_KEY.match(value) is None:
        raise MalformedError("not a public key")
    return value.lower()


def is_valid(key: str, signature: object, message: bytes) -> bool:
    """Whether the signature in hex is the key's for this message."""
    if not isinstance(signature, str):
        return False
    lower = signature.lower()
    if _SIGNATURE.match(lower) is None or lower[:2] != key[:2]:
        return False
    verify = _is_ed25519 if key.startswith("01") else _is_secp256k1
    return verify(bytes.fromhex(key)[1:], bytes.fromhex(lower)[1:], message)


@lru_cache(maxsize=1024)
def _is_strict_point(encoded: bytes) -> bool:
    """Whether a point is canonical and not of small order."""
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    return y < _FIELD and y not in _SMALL_ORDER


def _is_ed25519(key: bytes, signature: bytes, message: bytes) -> bool:
    if int.from_bytes(signature[32:], "little") >= _ORDER:
        return False
    if not _is_strict_point(key) or not _is_strict_point(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_secp256k1(key: bytes, signature: bytes, message: bytes) -> bool:
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if key[0] not in (2, 3) or not 0 < r < _SECP256K1_ORDER or not 0 < s <= _SECP256K1_ORDER // 2:
        return False
    try:
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), key)
        point.verify(encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))
    except (InvalidSignature, ValueError):
        return False
    return True
