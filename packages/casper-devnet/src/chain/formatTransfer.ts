import { formatAccountHash, formatUref } from '@wattfeed/casper/types'
import type { PurseTransfer } from '../engine/purseTransfer.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** A transfer with its cost. */
export interface PaidTransfer extends PurseTransfer {
  /** What the mint takes for it. */
  readonly gasMotes: bigint
}

/** Formats a transfer of a transaction like a node. */
export function formatTransfer(
  { version, hash, initiator }: Transaction,
  { to, source, target, motes, gasMotes, id }: PaidTransfer,
): object {
  return {
    Version2: {
      transaction_hash: { [version]: hash },
      from: { AccountHash: formatAccountHash(initiator.accountHash) },
      to: to === null ? null : formatAccountHash(to),
      source: formatUref(source),
      target: formatUref(target),
      amount: String(motes),
      gas: String(gasMotes),
      id: id === null ? null : Number(id),
    },
  }
}
