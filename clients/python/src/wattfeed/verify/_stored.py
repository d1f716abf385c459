"""Values that Casper stores: their bytes, and the JSON in which a node writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ._bytes import MalformedError, Reader, exactly
from ._json import MAX_INTEGER, is_number
from ._keys import read_key, read_uref

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Json: TypeAlias = "str | int | list[Json] | dict[str, Json]"

_MAX_TYPE_DEPTH = 50
_SIMPLE_TYPES: tuple[Json, ...] = (
    "Bool", "I32", "I64", "U8", "U32", "U64", "U128", "U256", "U512", "Unit", "String", "Key", "URef",
)  # fmt: skip
_KEY_LENGTHS = (0, 32, 33)
_ASSOCIATED_KEY_BYTES = 33
# Main purse, number of associated keys, and thresholds.
_MIN_END_BYTES = 33 + 4 + 2
# The networks' `max_associated_keys`. Without a limit, the time to read crafted names of keys would grow with the
# square of their length.
_MAX_ASSOCIATED_KEYS = 100
_ACCOUNT = 1


@dataclass(frozen=True)
class CLValue:
    """A value of a contract, with its type as JSON."""

    content: bytes
    cl_type: Json

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        return {"CLValue": {"cl_type": self.cl_type, "bytes": self.content.hex()}}


@dataclass(frozen=True)
class Account:
    """An account: who can sign for it, and how many must."""

    account_hash: str
    named_keys: dict[str, str] | None
    """None if one has an unknown kind."""
    main_purse: str
    associated_keys: tuple[tuple[str, int], ...]
    deployment_threshold: int
    key_management_threshold: int

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        account: dict[str, Json] = {
            "account_hash": self.account_hash,
            "main_purse": self.main_purse,
            "associated_keys": [{"account_hash": key, "weight": weight} for key, weight in self.associated_keys],
            "action_thresholds": {
                "deployment": self.deployment_threshold,
                "key_management": self.key_management_threshold,
            },
        }
        if self.named_keys is not None:
            account["named_keys"] = _named_keys_json(self.named_keys)
        return {"Account": account}


@dataclass(frozen=True)
class EntryPoint:
    """An entry point of a contract."""

    name: str
    arguments: list[tuple[str, Json]]
    returned: Json
    access: Json
    kind: str

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        return {
            "name": self.name,
            "args": [{"name": name, "cl_type": cl_type} for name, cl_type in self.arguments],
            "ret": self.returned,
            "access": self.access,
            "entry_point_type": self.kind,
        }


@dataclass(frozen=True)
class Contract:
    """A version of a contract."""

    package_hash: bytes
    wasm_hash: bytes
    named_keys: dict[str, str]
    entry_points: dict[str, EntryPoint]
    protocol_version: tuple[int, int, int]

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        return {
            "Contract": {
                "contract_package_hash": f"contract-package-{self.package_hash.hex()}",
                "contract_wasm_hash": f"contract-wasm-{self.wasm_hash.hex()}",
                "named_keys": _named_keys_json(self.named_keys),
                "entry_points": [point.to_json() for _, point in _by_name(self.entry_points)],
                "protocol_version": ".".join(str(number) for number in self.protocol_version),
            }
        }


@dataclass(frozen=True)
class ContractPackage:
    """The versions of a contract."""

    access_key: str
    versions: list[tuple[tuple[int, int], bytes]]
    """In the order of the bytes. Of equal versions, the last counts."""
    disabled_versions: list[tuple[int, int]]
    groups: dict[str, list[str]]
    is_locked: bool

    def newest_contract(self) -> bytes:
        """Gives the hash of the newest version that is not disabled."""
        contracts = dict(self.versions)
        enabled = [version for version in contracts if version not in self.disabled_versions]
        if not enabled:
            raise MalformedError("every version is disabled")
        return contracts[max(enabled)]

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        return {
            "ContractPackage": {
                "access_key": self.access_key,
                "versions": [
                    {
                        "protocol_version_major": major,
                        "contract_version": version,
                        "contract_hash": f"contract-{contract.hex()}",
                    }
                    for (major, version), contract in self.versions
                ],
                "disabled_versions": [list(version) for version in self.disabled_versions],
                "groups": [{"group_name": name, "group_users": list(users)} for name, users in _by_name(self.groups)],
                "lock_status": "Locked" if self.is_locked else "Unlocked",
            }
        }


@dataclass(frozen=True)
class ContractWasm:
    """The code of a contract."""

    content: bytes

    def to_json(self) -> Json:
        """Gives the JSON of a node."""
        return {"ContractWasm": {"bytes": self.content.hex()}}


@dataclass(frozen=True)
class Unused:
    """A kind of value that is read for its length only."""

    tag: int


StoredValue: TypeAlias = "CLValue | Account | Contract | ContractPackage | ContractWasm | Unused"


def _by_name(named: dict[str, T]) -> list[tuple[str, T]]:
    return sorted(named.items(), key=lambda entry: entry[0].encode())


def _named_keys_json(named_keys: dict[str, str]) -> Json:
    return [{"name": name, "key": key} for name, key in _by_name(named_keys)]


def _read_type(reader: Reader, depth: int = 1) -> Json:
    if depth > _MAX_TYPE_DEPTH:
        raise MalformedError(f"a type is nested more than {_MAX_TYPE_DEPTH} levels deep")

    def inner() -> Json:
        return _read_type(reader, depth + 1)

    tag = reader.u8(22)
    if tag < len(_SIMPLE_TYPES):
        return _SIMPLE_TYPES[tag]
    parametrized: dict[int, Callable[[], Json]] = {
        13: lambda: {"Option": inner()},
        14: lambda: {"List": inner()},
        15: lambda: {"ByteArray": reader.u32()},
        16: lambda: {"Result": {"ok": inner(), "err": inner()}},
        17: lambda: {"Map": {"key": inner(), "value": inner()}},
        18: lambda: {"Tuple1": [inner()]},
        19: lambda: {"Tuple2": [inner(), inner()]},
        20: lambda: {"Tuple3": [inner(), inner(), inner()]},
        21: lambda: "Any",
        22: lambda: "PublicKey",
    }
    return parametrized[tag]()


def read_cl_value(reader: Reader) -> CLValue:
    """Reads a CLValue."""
    return CLValue(reader.blob(), _read_type(reader))


def _read_account(reader: Reader) -> Account:
    account_hash = f"account-hash-{reader.hash().hex()}"
    return _read_account_end(reader, account_hash, _read_named_keys(reader))


def _read_named_keys(reader: Reader) -> dict[str, str]:
    return reader.mapping(reader.text, lambda: read_key(reader))


def _read_account_end(reader: Reader, account_hash: str, named_keys: dict[str, str] | None) -> Account:
    main_purse = read_uref(reader)
    keys = reader.items(lambda: (f"account-hash-{reader.hash().hex()}", reader.u8()))
    deployment, key_management = reader.u8(), reader.u8()
    if deployment > key_management:
        raise MalformedError("the threshold for deployment is above the one for key management")
    return Account(account_hash, named_keys, main_purse, tuple(keys), deployment, key_management)


def account_of_unknown_keys(value: bytes) -> Account | None:
    """Reads a stored account with a named key of an unknown kind, and so of an unknown length.

    Reads what follows the named keys from the end. None if the value is no such account, or can be read in several
    ways.
    """
    reader = Reader(value)
    try:
        if reader.u8() != _ACCOUNT:
            return None
        account_hash = f"account-hash-{reader.hash().hex()}"
    except MalformedError:
        return None
    start = reader.offset
    try:
        _read_named_keys(reader)
    except MalformedError:
        ends = [_account_end(value[at:], account_hash) for at in _possible_ends(start, len(value))]
        accounts = [account for account in ends if account is not None]
        return accounts[0] if len(accounts) == 1 else None
    return None


def _possible_ends(start: int, length: int) -> range:
    last = length - _MIN_END_BYTES - _ASSOCIATED_KEY_BYTES
    return range(last, max(start, last - _MAX_ASSOCIATED_KEYS * _ASSOCIATED_KEY_BYTES), -_ASSOCIATED_KEY_BYTES)


def _account_end(end: bytes, account_hash: str) -> Account | None:
    try:
        return exactly(end, lambda reader: _read_account_end(reader, account_hash, None))
    except MalformedError:
        return None


def _read_access(reader: Reader) -> Json:
    access = reader.u8()
    if access == 1:
        return "Public"
    if access == 2:
        return {"Groups": [*reader.items(reader.text)]}
    if access == 3:
        return "Template"
    raise MalformedError(f"no access to an entry point is {access}")


def _read_entry_point(reader: Reader) -> EntryPoint:
    name = reader.text()
    arguments = reader.items(lambda: (reader.text(), _read_type(reader)))
    returned = _read_type(reader)
    access = _read_access(reader)
    kind = {0: "Caller", 1: "Called", 128: "Factory"}.get(reader.u8())
    if kind is None:
        raise MalformedError("no kind of entry point is that")
    return EntryPoint(name, arguments, returned, access, kind)


def _read_contract(reader: Reader) -> Contract:
    return Contract(
        package_hash=reader.hash(),
        wasm_hash=reader.hash(),
        named_keys=_read_named_keys(reader),
        entry_points=reader.mapping(reader.text, lambda: _read_entry_point(reader)),
        protocol_version=(reader.u32(), reader.u32(), reader.u32()),
    )


def _read_package(reader: Reader) -> ContractPackage:
    def version() -> tuple[int, int]:
        return (reader.u32(), reader.u32())

    return ContractPackage(
        access_key=read_uref(reader),
        versions=reader.items(lambda: (version(), reader.hash())),
        disabled_versions=reader.items(version),
        groups=reader.mapping(reader.text, lambda: reader.items(lambda: read_uref(reader))),
        is_locked=reader.u8(1) == 1,
    )


def _skip_public_key(reader: Reader) -> None:
    reader.take(_KEY_LENGTHS[reader.u8(2)])


def _skip_payout(reader: Reader) -> None:
    is_delegator = reader.u8(1) == 1
    _skip_public_key(reader)
    if is_delegator:
        _skip_public_key(reader)
    reader.u512()


def _skip_era_info(reader: Reader) -> None:
    reader.items(lambda: _skip_payout(reader))


def _skip_topic(reader: Reader) -> None:
    reader.u32()
    if reader.u64() > MAX_INTEGER:
        raise MalformedError("the block time of a topic is too large")
    reader.text()


def _skip_hash(reader: Reader) -> None:
    reader.hash()


def _skip_bytes(reader: Reader) -> None:
    reader.blob()


_USED: dict[int, Callable[[Reader], StoredValue]] = {
    0: read_cl_value,
    _ACCOUNT: _read_account,
    2: lambda reader: ContractWasm(reader.blob()),
    3: _read_contract,
    4: _read_package,
}
_SKIPPED: dict[int, Callable[[Reader], None]] = {
    7: _skip_era_info,
    15: _skip_topic,
    16: _skip_hash,
    20: _skip_bytes,
}


def read_stored_value(reader: Reader) -> StoredValue:
    """Reads a stored value of any kind."""
    tag = reader.u8()
    if tag in _USED:
        return _USED[tag](reader)
    if tag not in _SKIPPED:
        raise MalformedError(f"no stored value has the tag {tag}")
    _SKIPPED[tag](reader)
    return Unused(tag)


def includes(claimed: object, proven: Json) -> bool:
    """Whether JSON has every member of the proven JSON, at every depth.

    >>> includes({"a": [1.0], "parsed": None}, {"a": [1]})
    True
    >>> includes({"a": [1.0, 2.0]}, {"a": [1]})
    False
    """
    if isinstance(proven, dict):
        return isinstance(claimed, dict) and all(
            name in claimed and includes(claimed[name], value) for name, value in proven.items()
        )
    if isinstance(proven, list):
        return (
            isinstance(claimed, list)
            and len(claimed) == len(proven)
            and all(includes(left, right) for left, right in zip(claimed, proven, strict=True))
        )
    if isinstance(proven, str):
        return isinstance(claimed, str) and claimed == proven
    return is_number(claimed) and claimed == proven
