import { DecodeError, sleep } from '@wattfeed/base'
import type { Node } from '../rpc/node.ts'
import { readNewestBlock } from '../rpc/nodeStatus.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { isRetryable } from '../rpc/rpcErrors.ts'
import { type ExecutedTransaction, getTransaction, type TransactionState } from './getTransaction.ts'
import { putTransaction } from './putTransaction.ts'
import { TransactionExpiredError, TransactionFailedError, TransactionUnresolvedError } from './settlement.ts'
import type { SignedTransaction } from './signTransaction.ts'
import { isRefusedForever, TransactionRefusedError } from './transactionRefused.ts'

/** `accepted` by a node; `pending` there; `sent_again`, because a node forgot it; `unreachable`: no node answers. */
export type TransactionEvent = 'accepted' | 'pending' | 'sent_again' | 'unreachable'

/** How a transaction is followed. */
export interface FollowOptions {
  rpc: Rpc
  /** How long to wait between two polls, in milliseconds. @default 4_000 */
  pollMs?: number
  /** Waits for a time, or until the signal aborts. @default a timer */
  wait?: (durationMs: number, signal: AbortSignal) => Promise<void>
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Awaited. */
  onEvent?: (event: TransactionEvent) => unknown
  signal?: AbortSignal | undefined
}

/** Options of sending. */
export interface SendOptions extends FollowOptions {
  /**
   * Whether the bytes were sent before, so that the network may have them. Then a rejection that depends on the node or the
   * time is not final, and the transaction is followed. @default false
   */
  isSentBefore?: boolean
  /**
   * Whether others may send the transaction too, with other approvals. Then a rejection of these bytes is not final.
   * @default false
   */
  isShared?: boolean
}

/**
 * Sends a signed transaction to every node and waits until it is executed.
 *
 * After any error other than the first three, it may still be executed: call this again with the same bytes.
 *
 * @throws {TransactionRefusedError}
 * @throws {TransactionFailedError}
 * @throws {TransactionExpiredError}
 * @throws {TransactionUnresolvedError}
 */
export async function sendTransaction(
  signed: SignedTransaction,
  options: SendOptions,
): Promise<ExecutedTransaction> {
  const { onEvent, isSentBefore = false, isShared = false } = options
  // Stops sending to other nodes when the outcome is known.
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, ...(options.signal ? [options.signal] : [])])
  try {
    const answer = await putTransaction(options.rpc, signed, signal)
    if (answer instanceof TransactionRefusedError && !isShared && (!isSentBefore || isRefusedForever(answer)))
      if (!(await isKnown(signed, options.rpc, signal))) throw answer
    if (answer === 'accepted') await onEvent?.('accepted')
    const executed = await followTransaction(signed, { ...options, signal })
    if (executed.errorMessage !== null) throw new TransactionFailedError({ executed })
    return executed
  } finally {
    controller.abort()
  }
}

/** One node may reject a transaction that another node has just accepted. */
async function isKnown(signed: SignedTransaction, rpc: Rpc, signal: AbortSignal): Promise<boolean> {
  const { state } = await getTransaction(rpc, signed.hash, { signal })
  return state !== 'unknown'
}

// Counts from the expiry, because a node may report a block late and this clock may be fast.
const GIVE_UP_AFTER_MS = 10 * 60_000

/**
 * After this many polls, the same bytes are sent again, because the node that has them may not have passed them on. The chain's
 * time is compared too, because this machine's clock may be slow.
 */
const ROUND_POLLS = 15

/**
 * Waits until a transaction is executed, with or without success. Sends the same bytes again if a node does not know it.
 *
 * @throws {TransactionExpiredError} once the chain's own time has passed its expiry.
 * @throws {TransactionUnresolvedError} if no node reports its status.
 */
async function followTransaction(
  signed: SignedTransaction,
  options: FollowOptions,
): Promise<ExecutedTransaction> {
  const { pollMs = 4_000, wait = sleep, onEvent, signal = new AbortController().signal } = options
  for (let polls = 1; ; polls++) {
    signal.throwIfAborted()
    const isRoundDone = polls % ROUND_POLLS === 0
    const seen = await poll(signed, options, { turn: polls - 1, comparesTime: isRoundDone })
    if (seen.state === 'executed') return seen.executed
    await onEvent?.(seen.state === 'unreachable' ? 'unreachable' : 'pending')
    if (seen.state === 'unknown' || isRoundDone) await sendAgain(signed, options)
    await wait(pollMs, signal)
  }
}

type Polled = TransactionState | { state: 'unreachable' }

/** Asks the nodes in turn, because the preferred one may lag. */
async function poll(
  signed: SignedTransaction,
  options: FollowOptions,
  { turn, comparesTime }: { turn: number; comparesTime: boolean },
): Promise<Polled> {
  const { rpc, now = Date.now, signal } = options
  const asked = { signal, turn: turn % rpc.nodes.length }
  try {
    const time = comparesTime || now() > signed.expiresAt ? await getChainTime(rpc, asked) : null
    const seen = await getTransaction(rpc, signed.hash, asked)
    if (seen.state === 'executed' || time === null || time.timestamp <= signed.expiresAt) return seen
    // It is expired only if the same node reported the time and has not executed it. If a node does not know the transaction,
    // the answer does not name the node. Then it is the node that answers both before and after.
    const node = seen.node ?? (await getChainTime(rpc, asked)).node
    if (node === time.node) throw new TransactionExpiredError({ transactionHash: signed.hash })
    return seen
  } catch (error) {
    if (error instanceof TransactionExpiredError || signal?.aborted || !isRetryable(error)) throw error
    if (now() > signed.expiresAt + GIVE_UP_AFTER_MS)
      throw new TransactionUnresolvedError({
        transactionHash: signed.hash,
        lastFailure: rpc.lastFailure() ?? 'no node answers',
      })
    return { state: 'unreachable' }
  }
}

/** Ignores the answer, because only a block with the transaction counts. */
async function sendAgain(signed: SignedTransaction, { rpc, onEvent, signal }: FollowOptions): Promise<void> {
  await onEvent?.('sent_again')
  await putTransaction(rpc, signed, signal).catch(() => null)
}

/** Returns the time of a node's newest block in epoch milliseconds, by `info_get_status`. */
function getChainTime(
  rpc: Rpc,
  asked: Pick<RpcRequest<never>, 'signal' | 'turn'>,
): Promise<{ timestamp: number; node: Node }> {
  return rpc.call({
    method: 'info_get_status',
    params: {},
    ...asked,
    decode(result, node) {
      const block = readNewestBlock(result)
      if (block === null) throw new DecodeError('info_get_status', 'the node has no newest block')
      return { timestamp: block.timestamp, node }
    },
  })
}
