import { encodeHex } from '../../bytes/hex.ts'
import { keyTags } from './key.ts'

/** What stands before the hex of the address, of the kinds that are written that way. */
export const keyPrefixes: Readonly<Record<number, string>> = {
  [keyTags.account]: 'account-hash-',
  [keyTags.hash]: 'hash-',
  [keyTags.transfer]: 'transfer-',
  [keyTags.deployInfo]: 'deploy-',
  [keyTags.balance]: 'balance-',
  [keyTags.bid]: 'bid-',
  [keyTags.withdraw]: 'withdraw-',
  [keyTags.dictionary]: 'dictionary-',
  [keyTags.systemEntityRegistry]: 'system-entity-registry-',
  [keyTags.eraSummary]: 'era-summary-',
  [keyTags.unbond]: 'unbond-',
  [keyTags.chainspecRegistry]: 'chainspec-registry-',
  [keyTags.checksumRegistry]: 'checksum-registry-',
  [keyTags.bidAddr]: 'bid-addr-',
  [keyTags.package]: 'package-',
  [keyTags.balanceHold]: 'balance-hold-',
}

export const entityPrefixes = ['entity-system-', 'entity-account-', 'entity-contract-'] as const
export const blockGlobalPrefixes = [
  'block-time-',
  'block-message-count-',
  'block-protocol-version-',
  'block-addressable-entity-',
] as const
export const byteCodePrefixes = ['byte-code-empty-', 'byte-code-v1-wasm-', 'byte-code-v2-wasm-'] as const

/**
 * A serialized key as a node prints it: `hash-…`, `uref-…-007`, `message-topic-entity-contract-…-…`.
 *
 * @example
 * ```ts
 * formatKey(hashKey(packageHash)) // 'hash-4e6e01b9…'
 * ```
 */
export function formatKey(key: Uint8Array): string {
  const [tag = 0, kind = 0] = key
  const prefix = keyPrefixes[tag]
  if (prefix !== undefined) return `${prefix}${encodeHex(key.subarray(1))}`
  switch (tag) {
    case keyTags.uref:
      return formatUref(key.subarray(1))
    case keyTags.eraInfo:
      return `era-${new DataView(key.buffer, key.byteOffset).getBigUint64(1, true)}`
    case keyTags.addressableEntity:
      return formatEntity(key.subarray(1))
    case keyTags.byteCode:
      return `${byteCodePrefixes[kind]}${kind === 0 ? '0'.repeat(64) : encodeHex(key.subarray(2))}`
    case keyTags.message:
      return formatMessage(key)
    case keyTags.namedKey:
      return `named-key-${formatEntity(key.subarray(1, 34))}-${encodeHex(key.subarray(34))}`
    case keyTags.blockGlobal:
      return `${blockGlobalPrefixes[kind]}${encodeHex(key.subarray(2))}`
    case keyTags.entryPoint:
      return `entry-point-v1-${formatEntity(key.subarray(2, 35))}-${encodeHex(key.subarray(35))}`
    default:
      return `state-${formatEntity(key.subarray(1))}`
  }
}

/** A URef's 33 bytes as a node prints them: `uref-…-007`, the rights in octal. */
export function formatUref(uref: Uint8Array): string {
  return `uref-${encodeHex(uref.subarray(0, 32))}-${(uref[32] ?? 0).toString(8).padStart(3, '0')}`
}

const formatEntity = (entity: Uint8Array): string =>
  `${entityPrefixes[entity[0] ?? 0]}${encodeHex(entity.subarray(1))}`

function formatMessage(key: Uint8Array): string {
  const topic = `${formatEntity(key.subarray(1, 34))}-${encodeHex(key.subarray(34, 66))}`
  if (key[66] === 0) return `message-topic-${topic}`
  const index = new DataView(key.buffer, key.byteOffset).getUint32(67, true)
  return `message-${topic}-${index.toString(16)}`
}
