"""The checks that Casper makes and OpenSSL does not."""

from __future__ import annotations

from hashlib import sha512

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from wattfeed.verify._signatures import is_valid

ORDER = 2**252 + 27742317777372353535851937790883648493
FIELD = 2**255 - 19
SMALL = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SECP256K1_ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
MESSAGE = b"message"
TOP = 2**255

ED = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
ED_KEY = "01" + ED.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
SECP256K1 = ec.derive_private_key(12345, ec.SECP256K1())
SECP256K1_KEY = "02" + SECP256K1.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex()


def number(value: int) -> str:
    return value.to_bytes(32, "little").hex()


def secp256k1_signature(*, low: bool) -> str:
    r, s = decode_dss_signature(SECP256K1.sign(MESSAGE, ec.ECDSA(SHA256())))
    if (s <= SECP256K1_ORDER // 2) != low:
        s = SECP256K1_ORDER - s
    return f"02{r:064x}{s:064x}"


@given(st.binary(max_size=100))
def test_signature_of_any_message_is_valid(message: bytes) -> None:
    assert is_valid(ED_KEY, "01" + ED.sign(message).hex(), message)
    assert not is_valid(ED_KEY, "01" + ED.sign(message).hex(), message + b"\0")


def test_signature_in_upper_case_is_valid() -> None:
    assert is_valid(ED_KEY, ("01" + ED.sign(MESSAGE).hex()).upper(), MESSAGE)


@settings(max_examples=50)
@given(st.integers(0, 64 * 8 - 1))
def test_signature_with_a_flipped_bit_is_not_valid(bit: int) -> None:
    for key, signature in (
        (ED_KEY, "01" + ED.sign(MESSAGE).hex()),
        (SECP256K1_KEY, secp256k1_signature(low=True)),
    ):
        flipped = int(signature, 16) ^ (1 << bit)
        assert not is_valid(key, f"{flipped:0130x}", MESSAGE)


def test_s_plus_the_order_is_not_valid() -> None:
    signature = ED.sign(MESSAGE)
    larger = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_valid(ED_KEY, "01" + signature[:32].hex() + number(larger), MESSAGE)


@pytest.mark.parametrize("y", [0, 1, FIELD - 1, SMALL, FIELD - SMALL, FIELD, FIELD + 1])
@pytest.mark.parametrize("top", [0, TOP])
def test_key_of_small_order_or_not_canonical_is_refused(y: int, top: int) -> None:
    # With the key and R of the neutral element and S = 0, the equation holds for every message.
    assert not is_valid("01" + number(y | top), "01" + number(1) + number(0), MESSAGE)
    assert not is_valid("01" + number(y | top), "01" + number(y | top) + number(0), MESSAGE)


def test_r_of_small_order_is_refused() -> None:
    # R is the neutral element, and S = k * a: OpenSSL calls this valid.
    secret = bytearray(sha512(b"\x05" * 32).digest()[:32])
    secret[0] &= 248
    secret[31] = (secret[31] & 127) | 64
    r = number(1)
    k = int.from_bytes(sha512(bytes.fromhex(r + ED_KEY[2:]) + MESSAGE).digest(), "little")
    s = k * int.from_bytes(secret, "little") % ORDER
    ED.public_key().verify(bytes.fromhex(r + number(s)), MESSAGE)
    assert not is_valid(ED_KEY, "01" + r + number(s), MESSAGE)


def test_larger_s_of_secp256k1_is_refused() -> None:
    assert is_valid(SECP256K1_KEY, secp256k1_signature(low=True), MESSAGE)
    assert not is_valid(SECP256K1_KEY, secp256k1_signature(low=False), MESSAGE)


@pytest.mark.parametrize(
    ("key", "signature"),
    [
        ("00", "00" * 65),
        (ED_KEY, "02" + ED.sign(MESSAGE).hex()),
        (ED_KEY, "01" + ED.sign(MESSAGE).hex() + "00"),
        (ED_KEY, None),
        ("0204" + SECP256K1_KEY[4:], secp256k1_signature(low=True)),
        (SECP256K1_KEY, "02" + "00" * 64),
    ],
)
def test_malformed_signature_is_not_valid(key: str, signature: object) -> None:
    assert not is_valid(key, signature, MESSAGE)
