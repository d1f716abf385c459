import type { BlockJson, TransactionHash } from '../consensus/formatBlock.ts'

/** An event in the format of a node's event stream: its only field is its name. */
export type ChainEvent =
  /** The protocol of the next block. It is the first event that a listener receives. */
  | { ApiVersion: string }
  /** A transaction waits for its block. The format is that of `info_get_transaction`. */
  | { TransactionAccepted: Readonly<Record<string, unknown>> }
  | { TransactionExpired: { transaction_hash: TransactionHash } }
  | { BlockAdded: { block_hash: string; block: BlockJson['block'] } }
  | {
      TransactionProcessed: {
        transaction_hash: TransactionHash
        initiator_addr: object
        timestamp: string
        ttl: string
        block_hash: string
        execution_result: object
        messages: readonly object[]
      }
    }
  | {
      FinalitySignature: {
        V2: {
          block_hash: string
          block_height: number
          era_id: number
          chain_name_hash: string
          signature: string
          public_key: string
        }
      }
    }
  /** What the end of an era changed in global state. */
  | { Step: { era_id: number; execution_effects: readonly object[] } }
  /** No event of a node: a contract has printed a text. The event of its transaction follows. */
  | { Printed: { transaction_hash: TransactionHash; text: string } }
  /** No event of a node: the chain has returned to a snapshot, whose newest block this is. */
  | { Reverted: { block_hash: string; block_height: number } }

/** Receives the events of a chain, in order. */
export type ChainListener = (event: ChainEvent) => void
