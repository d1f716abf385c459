import { type ByteWriter, createByteWriter, encodeHex } from '@wattfeed/base'
import { encodeAs, initiatorAddr } from '@wattfeed/casper/codec'
import { normalizeKey, sortedEntries } from '@wattfeed/casper/types'
import { GAS_PRICE } from '../chainspec.ts'
import type { Effect, Transform } from '../engine/transform.ts'
import type { Initiator, Transaction } from '../transaction/transaction.ts'
import type { ExecutedTransaction } from './executeTransaction.ts'
import type { PaidTransfer } from './formatTransfer.ts'

/** What the bytes of a result contain of its transaction. */
export type ResultTransaction = Pick<Transaction, 'version' | 'hash' | 'initiator' | 'sizeBytes'>

/** A result without what only clients get: its messages and prints. */
export type StoredResult = Omit<ExecutedTransaction, 'messages' | 'prints'>

/** Encodes execution results in `bytesrepr`: the `Vec<ExecutionResult>` of a block. */
export function encodeExecutionResults(
  results: readonly { readonly transaction: ResultTransaction; readonly executed: StoredResult }[],
): Uint8Array {
  const writer = createByteWriter(4096)
  return writer
    .list(results, ({ transaction, executed }) => writeResult(writer, transaction, executed))
    .finish()
}

const VERSION_2 = 1

function writeResult(writer: ByteWriter, transaction: ResultTransaction, executed: StoredResult): void {
  writer.u8(VERSION_2).bytes(encodeInitiator(transaction.initiator))
  writeOption(writer, executed.error, (error) => writer.string(error))
  writer.bigUint(executed.limitMotes).bigUint(executed.consumedMotes).bigUint(executed.costMotes)
  writer.list(executed.transfers, (transfer) => writeTransfer(writer, transaction, transfer))
  writer.u64(transaction.sizeBytes)
  writer.list(executed.effects, (effect) => writeEffect(writer, effect))
  writer.bigUint(executed.refundMotes).u8(GAS_PRICE)
}

function encodeInitiator({ publicKey, accountHash }: Initiator): Uint8Array {
  return publicKey === null
    ? encodeAccountHash(accountHash)
    : encodeAs(initiatorAddr, { kind: 'PublicKey', value: publicKey })
}

const encodeAccountHash = (accountHash: Uint8Array): Uint8Array =>
  encodeAs(initiatorAddr, { kind: 'AccountHash', value: encodeHex(accountHash) })

function writeOption<T>(writer: ByteWriter, value: T | null, write: (value: T) => void): void {
  writer.u8(value === null ? 0 : 1)
  if (value !== null) write(value)
}

/** Writes a `TransactionHash`. */
export const writeTransactionHash = (
  writer: ByteWriter,
  { version, hash }: Pick<Transaction, 'version' | 'hash'>,
): ByteWriter => writer.u8(version === 'Deploy' ? 0 : 1).hex(hash)

function writeTransfer(
  writer: ByteWriter,
  transaction: ResultTransaction,
  { to, source, target, motes, gasMotes, id }: PaidTransfer,
): void {
  writeTransactionHash(writer.u8(VERSION_2), transaction)
  writer.bytes(encodeAccountHash(transaction.initiator.accountHash))
  writeOption(writer, to, (accountHash) => writer.bytes(accountHash))
  writer.bytes(source).bytes(target).bigUint(motes).bigUint(gasMotes)
  writeOption(writer, id, (given) => writer.u64(given))
}

const transformTags = {
  Identity: 0,
  Write: 1,
  AddInt32: 2,
  AddUInt64: 3,
  AddUInt128: 4,
  AddUInt256: 5,
  AddUInt512: 6,
  AddKeys: 7,
  Prune: 9,
} as const satisfies Record<Transform['kind'], number>

function writeEffect(writer: ByteWriter, { key, transform }: Effect): void {
  writer.bytes(normalizeKey(key)).u8(transformTags[transform.kind])
  switch (transform.kind) {
    case 'Identity':
      return
    case 'Write':
      writer.bytes(transform.stored)
      return
    case 'AddInt32':
      writer.u32(Number(transform.amount))
      return
    case 'AddUInt64':
      writer.u64(transform.amount)
      return
    case 'AddUInt128':
    case 'AddUInt256':
    case 'AddUInt512':
      writer.bigUint(transform.amount)
      return
    case 'AddKeys':
      writer.list(sortedEntries(transform.namedKeys), ([name, named]) => writer.string(name).bytes(named))
      return
    case 'Prune':
      writer.bytes(normalizeKey(transform.key))
  }
}
