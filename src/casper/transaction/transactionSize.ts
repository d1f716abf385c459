import type { Transaction } from 'casper-js-sdk'
import { countArgumentBytes } from '../types/arguments.ts'
import { ACCOUNT_HASH, type Target, type TransactionRequest } from './createTransaction.ts'

/**
 * Returns the size of a transaction with its approvals, in bytes; it decides the transaction's lane. Writing the bytes to
 * count them takes the SDK as long as building the transaction.
 */
export function countTransactionBytes(request: TransactionRequest, transaction: Transaction): number {
  const approvals = transaction.approvals.map(
    ({ signer, signature }) => signer.toHex().length / 2 + signature.bytes.length,
  )
  return calltable(HASH, payload(request), U32 + sum(approvals))
}

const HASH = 32
const U64 = 8
const U32 = 4
const U16 = 2
const TAG = 1

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

/** The number of fields, index and offset of each, their total size, and the fields. */
const calltable = (...fields: number[]): number => U32 + fields.length * (U16 + U32) + U32 + sum(fields)

const text = (value: string): number => U32 + Buffer.byteLength(value)

const unit = calltable(TAG)
const pricing = calltable(TAG, U64, TAG, TAG)

function payload({ initiator, chainName, target, args }: TransactionRequest): number {
  const account = initiator.startsWith(ACCOUNT_HASH) ? HASH : initiator.length / 2
  const fields = [countArgumentBytes(args), ...invocation(target), unit]
  return calltable(
    calltable(TAG, account),
    U64,
    U64,
    text(chainName),
    pricing,
    U32 + sum(fields.map((field) => U16 + U32 + field)),
  )
}

/** Target and entry point. */
function invocation(target: Target): [number, number] {
  if ('wasm' in target) return [calltable(TAG, TAG, unit, U32 + target.wasm.length), unit]
  const id = calltable(TAG, HASH, TAG)
  return [calltable(TAG, id, unit), calltable(TAG, text(target.entryPoint))]
}
