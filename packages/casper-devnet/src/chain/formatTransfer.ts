import { formatAccountHash, formatUref } from '@wattfeed/casper/types'
import type { PurseTransfer } from '../engine/purseTransfer.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** Formats a transfer of a transaction like a node. @param gasMotes what the mint takes for a transfer */
export function formatTransfer(
  { version, hash, initiator }: Transaction,
  { to, source, target, motes, id }: PurseTransfer,
  gasMotes: bigint | number,
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
