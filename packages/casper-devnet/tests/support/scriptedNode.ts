import { memberAt } from '@wattfeed/base'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { hashOf } from '@wattfeed/testing/bytesrepr'

/** What the node does with a transaction that is sent to it. */
export type PutBehavior =
  | 'accept'
  /** Answers "accepted" and forgets it. */
  | 'forget'
  /** Takes it, and dies before it answers. */
  | 'takeAndDie'
  /** Dies without taking it. */
  | 'die'
  | { error: { code: number; message: string; data?: string } }

export interface ScriptedNodeOptions {
  chainName?: string
  /** What is done with each transaction sent, in order; the last one goes on. @default accept */
  puts?: readonly PutBehavior[]
  /** How often a transaction is looked at before a block holds it. @default 0 */
  looks?: number
  /** Time of the newest block, in epoch milliseconds. @default 0 */
  time?: () => number
  /** How long after its timestamp a transaction is taken and executed. @default for ever */
  ttlMs?: number
  /** Why transactions fail, or null where they succeed. */
  fails?: (hash: string) => string | null
  /** What a transaction changes when it is executed. */
  execute?: (payload: unknown) => string | null
  consumed?: bigint
  /** Answers everything that is not about transactions. */
  rest?: AnswerRpc
}

export interface ScriptedNode {
  answer: AnswerRpc
  /** Hashes of all that was sent, in order. */
  readonly sent: readonly string[]
  /** Hashes of all that was executed, in order. */
  readonly executed: readonly string[]
  /** Breaks every connection until {@link ScriptedNode.revive}. */
  die(): void
  revive(): void
  /** From now on everything that was taken is executed at the next look. */
  hurry(): void
}

interface Taken {
  payload: unknown
  looksLeft: number
  result: RpcAnswer | null
}

/** A node that takes transactions and executes them, as it is told. */
export function createScriptedNode(options: ScriptedNodeOptions = {}): ScriptedNode {
  const { chainName = 'casper-net-1', puts = ['accept'], looks = 0, time = () => 0, rest } = options
  const { ttlMs = Number.POSITIVE_INFINITY } = options
  const taken = new Map<string, Taken>()
  const ends = new Map<string, number>()
  const sent: string[] = []
  const executed: string[] = []
  let isDead = false
  let isHurried = false

  function put(params: unknown): RpcAnswer {
    const transaction = memberAt(params, 'transaction', 'Version1')
    const hash = String(memberAt(transaction, 'hash'))
    if (time() > noteEnd(hash, memberAt(transaction, 'payload'))) return expired
    const behavior = puts[Math.min(sent.length, puts.length - 1)] ?? 'accept'
    sent.push(hash)
    if (typeof behavior === 'object') return behavior
    if (behavior === 'accept' || behavior === 'takeAndDie') take(hash, memberAt(transaction, 'payload'))
    if (behavior === 'die' || behavior === 'takeAndDie') {
      isDead = true
      throw new Error('the connection broke')
    }
    return { result: { api_version: '2.0.0', transaction_hash: { Version1: hash } } }
  }

  function noteEnd(hash: string, payload: unknown): number {
    const end = Date.parse(String(memberAt(payload, 'timestamp'))) + ttlMs
    ends.set(hash, end)
    return end
  }

  /** One that is not executed by then never is. */
  const isLate = (hash: string): boolean => time() > (ends.get(hash) ?? 0) && !executed.includes(hash)

  function take(hash: string, payload: unknown): void {
    if (!taken.has(hash)) taken.set(hash, { payload, looksLeft: looks, result: null })
  }

  function look(params: unknown): RpcAnswer {
    const hash = String(memberAt(params, 'transaction_hash', 'Version1'))
    const found = taken.get(hash)
    if (found === undefined) return isLate(hash) && sent.includes(hash) ? pending : noSuchTransaction
    if (isLate(hash)) return pending
    if (!isHurried && found.looksLeft-- > 0) return pending
    found.result ??= execute(hash, found.payload)
    return found.result
  }

  function execute(hash: string, payload: unknown): RpcAnswer {
    executed.push(hash)
    const error = options.fails?.(hash) ?? options.execute?.(payload) ?? null
    const limit = BigInt(String(memberAt(payload, 'pricing_mode', 'PaymentLimited', 'payment_amount')))
    const consumed = options.consumed ?? 1_000_000_000n
    const refund = error === null ? ((limit - consumed) * 3n) / 4n : 0n
    const execution_result = {
      Version2: {
        error_message: error,
        limit: `${limit}`,
        consumed: `${consumed}`,
        cost: `${limit}`,
        refund: `${refund}`,
      },
    }
    const block_hash = hashOf(`block ${executed.length}`)
    return { result: { execution_info: { block_hash, block_height: executed.length, execution_result } } }
  }

  function answer(method: string, params: unknown): RpcAnswer | Promise<RpcAnswer> {
    if (isDead) throw new Error('the connection broke')
    if (method === 'account_put_transaction') return put(params)
    if (method === 'info_get_transaction') return look(params)
    if (method === 'info_get_status') return status(chainName, time())
    if (rest === undefined && method === 'state_get_account_info') return noSuchAccount
    if (rest === undefined) throw new Error(`not scripted: ${method}`)
    return rest(method, params)
  }

  return {
    answer,
    sent,
    executed,
    die: () => {
      isDead = true
    },
    revive: () => {
      isDead = false
    },
    hurry: () => {
      isHurried = true
    },
  }
}

/** The answer about an account that the chain does not know. */
export const noSuchAccount: RpcAnswer = {
  error: { code: -32009, message: 'No such account', data: 'the requested account was not found' },
}

const pending: RpcAnswer = { result: { execution_info: null } }

const expired: RpcAnswer = {
  error: {
    code: -32016,
    message: 'Invalid transaction',
    data: 'the transaction was invalid: transaction has expired',
  },
}

const noSuchTransaction: RpcAnswer = {
  error: { code: -32014, message: 'No such transaction', data: 'no transaction for hash' },
}

const status = (chainName: string, timestamp: number): RpcAnswer => ({
  result: {
    chainspec_name: chainName,
    last_added_block_info: { timestamp: new Date(timestamp).toISOString(), height: 1, hash: '11'.repeat(32) },
  },
})
