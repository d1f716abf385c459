import { type Cursor, createCursor, encodeHex } from '@wattfeed/base'
import { formatAssociatedKeys, readAssociatedKeys } from './account.ts'
import { keyTags, readUref } from './key.ts'
import { formatKey, readKey } from './keyKinds.ts'

const [SMART_CONTRACT, ADDRESSABLE_ENTITY, NAMED_KEY, ENTRY_POINT] = [12, 13, 17, 19] as const

/**
 * Returns what readers need of a value that only a chain with addressable entities stores, as part of the node's JSON; null for any other
 * value. The rest of the bytes is not decoded.
 *
 * @param bytes - the whole stored value
 * @throws {DecodeError}
 */
export function formatEntityValue(bytes: Uint8Array) {
  const cursor = createCursor(bytes, 'StoredValue')
  switch (cursor.u8()) {
    case SMART_CONTRACT:
      return { SmartContract: readPackage(cursor) }
    case ADDRESSABLE_ENTITY:
      return { AddressableEntity: readEntity(cursor) }
    case NAMED_KEY:
      return { NamedKey: { named_key: { bytes: encodeHex(cursor.byteList()) } } }
    case ENTRY_POINT:
      return { EntryPoint: {} }
    default:
      return null
  }
}

/** A package, whose versions are entities. */
function readPackage(cursor: Cursor) {
  const readVersion = () => ({ protocol_version_major: cursor.u32(), entity_version: cursor.u32() })
  return {
    versions: cursor.list(() => ({
      entity_version_key: readVersion(),
      entity_addr: formatKey(readKey(cursor, keyTags.addressableEntity)),
    })),
    disabled_versions: cursor.list(readVersion),
  }
}

/** Bytes of the hashes of package and code, and of the protocol version, which come first. */
const HEAD_BYTES = 32 + 32 + 12

/** An account or a contract. */
function readEntity(cursor: Cursor) {
  cursor.bytes(HEAD_BYTES)
  readUref(cursor)
  return {
    associated_keys: formatAssociatedKeys(readAssociatedKeys(cursor)),
    action_thresholds: {
      deployment: cursor.u8(),
      upgrade_management: cursor.u8(),
      key_management: cursor.u8(),
    },
  }
}
