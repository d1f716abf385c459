import { memberAt } from '@wattfeed/base'
import type { Devnet, RpcAnswer } from '@wattfeed/casper-devnet'
import { nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { stateRootOf } from '@wattfeed/casper-devnet/testing/recordedNode'
import type { PutBehavior, ScriptedNode } from '@wattfeed/casper-devnet/testing/scriptedNode'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'

/** Controls when a node's transactions are executed, and how it handles those that it receives. */
export interface NodeScript {
  /** The reaction to each transaction, in order; the last one repeats. @default accept */
  puts?: readonly PutBehavior[]
  /** Number of polls of a transaction before a block includes it. @default 0 */
  looks?: number
  /** Called before each block. Transactions that it sends to the chain are executed in a separate block. */
  beforeBlock?: () => Promise<void>
  /** Answers to reads at a state root, shared by the forks of one chain, because they never change. @default none */
  pinned?: Map<string, RpcAnswer>
}

/** A scripted node of an embedded chain. */
export interface ScriptedDevnet extends ScriptedNode {
  /** Returns the block of a transaction. @throws {Error} when no block includes it */
  blockOf(hash: string | undefined): Promise<{ blockHash: string; blockHeight: number }>
  /** Puts signed transactions after the next transaction, in the same block. */
  follow(transactions: readonly object[]): void
  /** Executes all accepted transactions, without waiting for polls. */
  makeBlock(): Promise<void>
}

interface Taken {
  params: unknown
  looksLeft: number
}

/** After this time the chain has made another block, even without transactions. */
const BLOCK_MS = 8_000
/** A few megabytes. */
const MAX_PINNED = 1_000

/**
 * Returns a node of a chain that makes no blocks by itself. It stores the transactions that it receives, and a block
 * includes one after a number of polls. The chain gives all other answers.
 */
export function scriptDevnet(devnet: Devnet, script: NodeScript = {}): ScriptedDevnet {
  const { puts = ['accept'], looks = 0, beforeBlock = async () => {}, pinned = new Map() } = script
  const [node, forgetful] = [nodeOf(devnet), nodeOf(devnet)]
  for (const each of [node, forgetful]) each.faults.withhold()
  const taken = new Map<string, Taken>()
  const sent: string[] = []
  const executed: string[] = []
  let followers: readonly object[] = []
  let isDead = false
  let isHurried = false

  function breakConnection(): never {
    isDead = true
    throw new Error('the connection broke')
  }

  async function put(params: unknown): Promise<RpcAnswer> {
    const hash = String(memberAt(params, 'transaction', 'Version1', 'hash'))
    const behavior = puts[Math.min(sent.length, puts.length - 1)] ?? 'accept'
    sent.push(hash)
    if (typeof behavior === 'object') return behavior
    if (behavior === 'die') return breakConnection()
    const answered = await (behavior === 'forget' ? forgetful : node).call('account_put_transaction', params)
    if ('result' in answered && behavior !== 'forget' && !taken.has(hash))
      taken.set(hash, { params, looksLeft: looks })
    return behavior === 'takeAndDie' ? breakConnection() : answered
  }

  async function look(params: unknown): Promise<RpcAnswer> {
    const hash = String(memberAt(params, 'transaction_hash', 'Version1'))
    const found = taken.get(hash)
    if (found !== undefined && (isHurried || found.looksLeft-- <= 0)) await execute(hash, found)
    return node.call('info_get_transaction', params)
  }

  /** Executes a transaction, unless it has expired by now. */
  async function execute(hash: string, { params }: Taken): Promise<void> {
    if (executed.includes(hash)) return
    executed.push(hash)
    await beforeBlock()
    const answered = await devnet.call('account_put_transaction', params)
    if ('error' in answered) return void executed.splice(executed.indexOf(hash), 1)
    for (const transaction of followers) await devnet.call('account_put_transaction', { transaction })
    followers = []
    devnet.produceBlock()
  }

  /** Makes a block when one is due, because time also passes without transactions. */
  async function status(params: unknown): Promise<RpcAnswer> {
    const answered = await node.call('info_get_status', params)
    const newest = memberAt(answered, 'result', 'last_added_block_info', 'timestamp')
    if (devnet.now() - Date.parse(String(newest)) < BLOCK_MS) return answered
    devnet.produceBlock()
    return node.call('info_get_status', params)
  }

  async function readPinned(method: string, params: unknown): Promise<RpcAnswer> {
    const key = `${method} ${JSON.stringify(params)}`
    const known = pinned.get(key)
    if (known !== undefined) return known
    const answered = await node.call(method, params)
    if ('result' in answered && pinned.size < MAX_PINNED) pinned.set(key, answered)
    return answered
  }

  async function answer(method: string, params: unknown): Promise<RpcAnswer> {
    if (isDead) throw new Error('the connection broke')
    if (method === 'account_put_transaction') return put(params)
    if (method === 'info_get_transaction') return look(params)
    if (method === 'info_get_status') return status(params)
    return stateRootOf(params) === null ? node.call(method, params) : readPinned(method, params)
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
    async blockOf(hash = '') {
      const { blockHash, blockHeight } = await getExecution(devnet.call, hash)
      return { blockHash, blockHeight }
    },
    follow(transactions) {
      followers = transactions
    },
    async makeBlock() {
      isHurried = true
      for (const [hash, each] of taken) await execute(hash, each)
    },
  }
}
