import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { DecodeError } from '../../bytes/cursor.ts'
import { encodeLittleEndian } from '../../bytes/littleEndian.ts'
import { type Decode, hash, integer, listOf, record } from './jsonField.ts'

/**
 * The hash of a block's body as a node prints it in protocol 2: transactions by lane, and which validators'
 * signatures are rewarded. A header names it as `body_hash`.
 *
 * @throws {DecodeError} where it is no such body.
 */
export function hashBlockBody(json: unknown): string {
  const body = record(json, 'body')
  const lanes = Object.entries(record(body.transactions, 'transactions')).map(([lane, transactions]) =>
    concatBytes(Uint8Array.of(laneNumber(lane)), encodeList(transactions, transactionHash, 'transactions')),
  )
  const encoded = concatBytes(
    encodeLittleEndian(lanes.length, 4),
    ...lanes,
    encodeList(body.rewarded_signatures, rewardedSignatures, 'rewarded_signatures'),
  )
  return bytesToHex(blake2b(encoded, { dkLen: 32 }))
}

function encodeList(json: unknown, encodeItem: Decode<Uint8Array>, what: string): Uint8Array {
  const items = listOf(encodeItem, Number.POSITIVE_INFINITY)(json, what)
  return concatBytes(encodeLittleEndian(items.length, 4), ...items)
}

function laneNumber(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) < 256) return Number(text)
  throw new DecodeError('transactions', 'a lane is not a number of one byte')
}

const TRANSACTION_KINDS = ['Deploy', 'Version1']

const transactionHash: Decode<Uint8Array> = (json, what) => {
  const [[kind, digits] = ['', undefined]] = Object.entries(record(json, what))
  const tag = TRANSACTION_KINDS.indexOf(kind)
  if (tag === -1) throw new DecodeError(what, `it is none of ${TRANSACTION_KINDS.join(', ')}`)
  return concatBytes(Uint8Array.of(tag), hexToBytes(hash(digits, what)))
}

/** One bit for each validator of the era. */
const rewardedSignatures: Decode<Uint8Array> = (json, what) => {
  const bytes = listOf(integer)(json, what)
  return concatBytes(encodeLittleEndian(bytes.length, 4), Uint8Array.from(bytes))
}
