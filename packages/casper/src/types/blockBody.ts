import { blake2b } from '@noble/hashes/blake2.js'
import { type ByteWriter, createByteWriter, DecodeError, encodeHex } from '@wattfeed/base'
import { type Decode, hash, integer, listOf, record } from './jsonField.ts'
import { quote } from './strictReader.ts'

/**
 * Returns the hash of a protocol 2 block body in the node's JSON. The body lists the transactions by lane, and the
 * validators whose signatures are rewarded. The header contains the hash as `body_hash`.
 *
 * @throws {DecodeError} if it lists a transaction of an unknown kind, whose bytes are unknown.
 */
export function hashBlockBody(json: unknown): string {
  const body = record(json, 'body')
  const writer = createByteWriter()
  writer.list(Object.entries(record(body.transactions, 'transactions')), ([lane, transactions]) => {
    writer.u8(laneNumber(lane))
    writeList(writer, transactions, writeTransactionHash, 'transactions')
  })
  writeList(writer, body.rewarded_signatures, writeSignatures, 'rewarded_signatures')
  return encodeHex(blake2b(writer.finish(), { dkLen: 32 }))
}

/** The kinds of transactions, in the order of their tags. The last one is of a protocol with an EVM. */
const transactionKinds: readonly string[] = ['Deploy', 'Version1', 'Evm']

/** A transaction that a block lists. */
export interface ListedTransaction {
  /** `Version1`, `Deploy`, `Evm`, or a kind of a later protocol. */
  readonly kind: string
  /** 64 hex digits; null for a kind of a later protocol, whose form is unknown. */
  readonly hash: string | null
}

/**
 * Lists the transactions of a protocol 2 block body in the node's JSON, in the order of the block. Lists kinds of later protocols,
 * too, although {@link hashBlockBody} cannot hash them.
 */
export function listTransactions(json: unknown): ListedTransaction[] {
  const body = record(json, 'body')
  const lanes = Object.values(record(body.transactions, 'transactions'))
  return lanes.flatMap((lane) => listOf(listedTransaction, MAX_TRANSACTIONS)(lane, 'transactions'))
}

/** More than fit into a block. */
const MAX_TRANSACTIONS = 10_000

const listedTransaction: Decode<ListedTransaction> = (json, what) => {
  const [[kind, digits] = ['', undefined]] = entriesOf(json, what)
  return { kind, hash: transactionKinds.includes(kind) ? hash(digits, what) : null }
}

/** A variant of an enum in JSON: an object with one member, or a text if it has no content. */
const entriesOf = (json: unknown, what: string): [string, unknown][] =>
  typeof json === 'string' ? [[json, undefined]] : Object.entries(record(json, what))

type Write = (writer: ByteWriter, json: unknown, what: string) => void

function writeList(writer: ByteWriter, json: unknown, write: Write, what: string): void {
  const undecoded: Decode<unknown> = (item) => item
  const items = listOf(undecoded, Number.POSITIVE_INFINITY)(json, what)
  writer.list(items, (item) => write(writer, item, what))
}

function laneNumber(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) < 256) return Number(text)
  throw new DecodeError('transactions', 'expected lane numbers from 0 to 255')
}

const writeTransactionHash: Write = (writer, json, what) => {
  const { kind, hash } = listedTransaction(json, what)
  if (hash === null) throw new DecodeError(what, `unknown transaction kind ${quote(kind)}`)
  writer.u8(transactionKinds.indexOf(kind)).hex(hash)
}

/** One bit for each validator of the era. */
const writeSignatures: Write = (writer, json, what) => {
  writer.byteList(Uint8Array.from(listOf(integer)(json, what)))
}
