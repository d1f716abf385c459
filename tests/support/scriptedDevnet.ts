import { memberAt } from '../../src/bytes/memberAt.ts'
import { stateRootOf } from '../../src/demo/recordedNode.ts'
import type { Devnet } from '../../src/devnet/createDevnet.ts'
import type { RpcAnswer } from '../../src/devnet/rpcAnswer.ts'
import type { PutBehavior, ScriptedNode } from '../agent/support/scriptedNode.ts'
import { getExecution } from '../devnet/registries/sender.ts'

/** When a node's transactions are executed, and what it does with those that are sent to it. */
export interface NodeScript {
  /** What is done with each transaction sent, in order; the last one goes on. @default accept */
  puts?: readonly PutBehavior[]
  /** How often a transaction is looked at before a block holds it. @default 0 */
  looks?: number
  /** Called before a block is made; what it sends to the chain is executed in a block of its own. */
  beforeBlock?: () => Promise<void>
  /** Answers to reads at a state root, which forks of one chain share: they never change. @default none */
  pinned?: Map<string, RpcAnswer>
}

/** A scripted node of an embedded chain. */
export interface ScriptedDevnet extends ScriptedNode {
  /** Reads which block holds a transaction. @throws {Error} where none does */
  blockOf(hash: string | undefined): Promise<{ blockHash: string; blockHeight: number }>
  /** Puts signed transactions into the next transaction's block, after it. */
  follow(transactions: readonly object[]): void
  /** Executes everything that was taken, without anybody asking for it. */
  makeBlock(): Promise<void>
}

interface Taken {
  params: unknown
  looksLeft: number
}

/** After so long a chain has made another block, even if nobody sent anything. */
const BLOCK_MS = 8_000
/** A few megabytes. */
const MAX_PINNED = 1_000

/**
 * Returns a node of a chain that makes no blocks by itself: it keeps what it is sent, and a block holds it after so many
 * looks. Everything else is what the chain answers.
 */
export function scriptDevnet(devnet: Devnet, script: NodeScript = {}): ScriptedDevnet {
  const { puts = ['accept'], looks = 0, beforeBlock = async () => {}, pinned = new Map() } = script
  const [node, forgetful] = [devnet.createNode(), devnet.createNode()]
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

  /** What has expired by now is never executed. */
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

  /** Time goes on without transactions too. */
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
