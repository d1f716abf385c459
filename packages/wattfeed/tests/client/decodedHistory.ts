import type { Attestation } from '../../src/registry/attestation.ts'
import { recordedItems } from '../support/recordedItems.ts'

/** The recorded history of every feed, decoded without the code under test. */
export function decodedHistory(): ReadonlyMap<string, Attestation[]> {
  const histories = new Map<string, Attestation[]>()
  for (const [note, bytes] of recordedItems) {
    const [, feedId, index] = /^AttestationRegistry\.history\[(.*)#(\d+)\]$/s.exec(note) ?? []
    if (feedId === undefined) continue
    const history = histories.get(feedId) ?? []
    histories.set(feedId, history)
    history[Number(index)] = decodeAttestation(Buffer.from(bytes))
  }
  return histories
}

/** List length, period, length and bytes of the amount, length and text of the hash, tag and hash, time. */
function decodeAttestation(bytes: Buffer): Attestation {
  const amountEnd = 13 + bytes.readUInt8(12)
  const hashEnd = amountEnd + 4 + bytes.readUInt32LE(amountEnd)
  const amountHex = bytes.subarray(13, amountEnd).toReversed()
  const kind = bytes.readUInt8(hashEnd) === 0 ? 'account-hash' : 'hash'
  return {
    period: Number(bytes.readBigUInt64LE(4)),
    amount: BigInt(`0x0${Buffer.from(amountHex).toString('hex')}`),
    source_hash: bytes.toString('utf8', amountEnd + 4, hashEnd),
    attester: `${kind}-${bytes.toString('hex', hashEnd + 1, hashEnd + 33)}`,
    timestamp: Number(bytes.readBigUInt64LE(hashEnd + 33)),
  }
}
