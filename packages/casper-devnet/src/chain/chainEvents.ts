import { encodeHex } from '@wattfeed/base'
import { formatDuration } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import type { TransactionHash } from '../consensus/formatBlock.ts'
import type { Message } from '../engine/message.ts'
import { type Effect, formatEffect } from '../engine/transform.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { ChainBlock } from './chainBlock.ts'
import type { ChainEvent, ChainListener } from './chainEvent.ts'
import { executionJson, initiatorJson } from './executePending.ts'
import type { ExecutedTransaction } from './executeTransaction.ts'

/** The listeners of a chain. Without one, no event is formatted. */
export class ChainEvents {
  readonly #listeners = new Set<ChainListener>()

  /** Returns a function that removes the listener. */
  add(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(format: () => readonly ChainEvent[]): void {
    if (this.#listeners.size === 0) return
    const events = format()
    for (const listener of [...this.#listeners]) events.forEach(listener)
  }
}

/** A transaction of a new block, and what its execution resulted in. */
export interface ProcessedTransaction {
  readonly transaction: Transaction
  readonly executed: ExecutedTransaction
}

export interface NewBlock {
  readonly chainName: string
  readonly block: ChainBlock
  readonly transactions: readonly ProcessedTransaction[]
  /** The writes of the end of an era. */
  readonly step: readonly Effect[]
}

/** Returns a new block's events in a node's order: a node announces a block after the signatures that finalize it. */
export function blockEvents({ chainName, block, transactions, step }: NewBlock): ChainEvent[] {
  const { hash, height, eraId, json, isSwitchBlock } = block
  const chain_name_hash = encodeHex(blake2b(new TextEncoder().encode(chainName)))
  const signed = { block_hash: hash, block_height: height, era_id: eraId, chain_name_hash }
  return [
    ...(isSwitchBlock
      ? [{ Step: { era_id: eraId, execution_effects: step.map(formatEffect) } } satisfies ChainEvent]
      : []),
    ...json.proofs.map(
      ({ public_key, signature }): ChainEvent => ({
        FinalitySignature: { V2: { ...signed, signature, public_key } },
      }),
    ),
    { BlockAdded: { block_hash: hash, block: json.block } },
    ...transactions.flatMap(({ transaction, executed }): ChainEvent[] => [
      ...executed.prints.map((text) => ({ Printed: { transaction_hash: hashJson(transaction), text } })),
      {
        TransactionProcessed: {
          transaction_hash: hashJson(transaction),
          initiator_addr: initiatorJson(transaction),
          timestamp: new Date(transaction.timestampMs).toISOString(),
          ttl: formatDuration(transaction.ttlMs),
          block_hash: hash,
          execution_result: executionJson(transaction, executed),
          messages: executed.messages.map(formatMessage),
        },
      },
    ]),
  ]
}

/** Formats the hash of a transaction like a node: `{ "Version1": "…" }` or `{ "Deploy": "…" }`. */
export const hashJson = ({ version, hash }: Pick<Transaction, 'version' | 'hash'>): TransactionHash =>
  version === 'Deploy' ? { Deploy: hash } : { Version1: hash }

/** Formats a message like a node, which names the contract as an entity. */
export function formatMessage(message: Message): object {
  const { contractHash, payload, topicName, topicNameHash, topicIndex, blockIndex } = message
  return {
    entity_addr: `entity-contract-${encodeHex(contractHash)}`,
    message: payload.kind === 'String' ? { String: payload.text } : { Bytes: encodeHex(payload.bytes) },
    topic_name: topicName,
    topic_name_hash: encodeHex(topicNameHash),
    topic_index: topicIndex,
    block_index: blockIndex,
  }
}
