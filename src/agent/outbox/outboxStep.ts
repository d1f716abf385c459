import type { TransactionEvent } from '../../casper/transaction/followTransaction.ts'
import type { DroppedAttestation } from './dropSuperseded.ts'
import type { ReadBackResult } from './readBack.ts'
import type { Settlement } from './settledTransaction.ts'

/** Which transaction a step belongs to. */
interface OfTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  readonly feedIds: readonly string[]
}

/** A step of a transaction, told when it is done and before the next one begins. */
export type OutboxStep =
  /** Everything was checked; nothing is signed yet. */
  | {
      readonly step: 'checked'
      readonly feedIds: readonly string[]
      readonly dropped: readonly DroppedAttestation[]
    }
  /** It exists in memory only. */
  | ({ readonly step: 'signed' } & OfTransaction)
  /** Its file is written; no byte went out. */
  | ({ readonly step: 'written' } & OfTransaction)
  /** What an earlier run, or an earlier call, left pending is taken up. */
  | ({ readonly step: 'resumed' } & OfTransaction)
  /** The nodes' answers while it is sent and followed. */
  | ({ readonly step: TransactionEvent } & OfTransaction)
  /** Its outcome is known. */
  | ({ readonly step: 'settled' } & Settlement)
  /** The feeds' values as of its block, or what kept the nodes from showing them in time. */
  | ({ readonly step: 'read_back' } & OfTransaction & ReadBackResult)
  /** Its file is gone. */
  | ({ readonly step: 'removed' } & OfTransaction)
