import { createByteWriter } from '@wattfeed/base'
import { approvals, encodeAs } from '@wattfeed/casper/codec'
import { addressKey, encodeStoredValue, keyTags, stateKey } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { ExecutedPending } from './executePending.ts'
import { encodeExecutionResults, writeTransactionHash } from './executionResultBytes.ts'

/**
 * Returns the write of a block's checksums, with which nodes verify what they download of the block: the approvals of its
 * transactions, and their execution results.
 */
export function checksumRegistryWrite(
  executed: readonly ExecutedPending[],
): [key: string, stored: Uint8Array] {
  // A block lists its transactions by lane.
  const inBlock = executed.toSorted((a, b) => a.stored.laneId - b.stored.laneId)
  const writer = createByteWriter(128)
  const checksums: [string, Uint8Array][] = [
    ['approvals_checksum', approvalsChecksum(inBlock.map(({ transaction }) => transaction))],
    ['execution_results_checksum', hashChunks(encodeExecutionResults(inBlock))],
  ]
  writer.list(checksums, ([name, checksum]) => writer.string(name).bytes(checksum))
  const value = {
    clType: { Map: { key: 'String', value: { ByteArray: 32 } } },
    bytes: writer.finish(),
  } as const
  return [registryKey, encodeStoredValue({ kind: 'CLValue', value })]
}

const registryKey = stateKey(addressKey(keyTags.checksumRegistry, new Uint8Array(32)))

/** Returns the hash of transaction hashes, each with the hash of its approvals. */
export function approvalsChecksum(
  transactions: readonly Pick<Transaction, 'version' | 'hash' | 'approvals'>[],
): Uint8Array {
  const writer = createByteWriter(4 + 65 * transactions.length)
  writer.list(transactions, (each) =>
    writeTransactionHash(writer, each).bytes(blake2b(encodeAs(approvals, each.approvals))),
  )
  return blake2b(writer.finish())
}

/** Nodes send longer data in chunks of this size. */
const CHUNK_BYTES = 8 * 1024 * 1024

/** Returns the hash of data; if it is longer than a chunk, that of a Merkle tree of its chunks. */
export function hashChunks(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= CHUNK_BYTES) return blake2b(bytes)
  const count = Math.ceil(bytes.length / CHUNK_BYTES)
  const chunks = Array.from({ length: count }, (_, index) =>
    blake2b(bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)),
  )
  // The zeros are as long as a chunk, so that no chunk has the hash of a tree.
  return blake2b(new Uint8Array(CHUNK_BYTES), createByteWriter(8).u64(count).finish(), hashPairs(chunks))
}

/** Hashes pairs until one hash is left. A hash without a partner stays as it is. */
function hashPairs(hashes: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), second] = hashes
  if (second === undefined) return first
  const pairs = Array.from({ length: Math.ceil(hashes.length / 2) }, (_, index) =>
    hashes.slice(2 * index, 2 * index + 2),
  )
  return hashPairs(pairs.map((pair) => (pair.length === 2 ? blake2b(...pair) : (pair[0] ?? first))))
}
