import type { AnswerRpc, ChainBlock, Devnet } from '@wattfeed/casper-devnet'
import { NodeFaultError } from '@wattfeed/casper-devnet/testing/chainFaults/callFaults'
import { type NodeWithFaults, nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { answerRpcText } from '../../../packages/casper-devnet/src/rpc/answerRpcText.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import type { EiaModel } from './eiaModel.ts'
import type { Trouble } from './truth.ts'

/** EIA's failure: an answer, or null for a broken connection. */
export type EiaFault = (() => Response) | null

/** The network to two nodes and to EIA, with its faults. */
export interface Network {
  readonly nodes: readonly NetworkNode[]
  /** For the agent: all hosts. */
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** For the observer: a node without faults. */
  honestFetch: (url: string, init: RequestInit) => Promise<Response>
  /** Fails every request to EIA; undefined ends it. */
  failEia(fault: EiaFault | undefined): void
  /** Makes a block when one is due. */
  planBlock(): void
  /** Disconnects the agent from every host, or reconnects it. */
  cut(isCut: boolean): void
  /** Stops or resumes block production. */
  stall(isStalled: boolean): void
  /** The amount by which the nodes show a lower balance, as if the account had spent it elsewhere. */
  hideMotes(motes: bigint): void
}

/** A node with its own faults and those of its network. */
export interface NetworkNode extends NodeWithFaults {
  url: string
  /** The model's name for its failure. */
  trouble: Trouble
  /** Hangs: sends no answer and keeps the connection open. */
  isHanging: boolean
  /** Delay of its answers, in milliseconds. */
  delayMs: number
}

/** The addresses of the agent's hosts. */
export const hosts = { eia: 'http://eia', nodes: ['http://first/rpc', 'http://second/rpc'] } as const

const BLOCK_MS = 8_000

/** The key that proposes the first block of a protocol. */
const SYSTEM = '00'

export interface NetworkOptions {
  devnet: Devnet
  eia: Pick<EiaModel, 'answer'>
  time: Pick<VirtualTime, 'trueMs'>
  random: () => number
  /** Called with the hashes of the transactions in each block that has some. */
  onBlock: (hashes: readonly string[]) => void
}

/** Creates the network of a chain. The chain makes a block when it has a transaction, or when its time is read. */
export function createNetwork({ devnet, eia, time, random, onBlock }: NetworkOptions): Network {
  let [isStalled, isPlanned, isCut, hidden, blockAt] = [false, false, false, 0n, time.trueMs()]
  let eiaFault: EiaFault | undefined

  function makeBlock(): void {
    isPlanned = false
    if (isStalled) return
    blockAt = time.trueMs()
    const block = devnet.produceBlock()
    // The first block of a protocol takes no transactions, so those that wait need another.
    if (block.proposer === SYSTEM) planBlock()
    const hashes = hashesOf(block)
    if (hashes.length > 0) onBlock(hashes)
  }

  function planBlock(): void {
    if (isPlanned) return
    isPlanned = true
    setTimeout(makeBlock, BLOCK_MS - (time.trueMs() % BLOCK_MS))
  }

  const through =
    (node: Pick<NodeWithFaults, 'call'>): AnswerRpc =>
    async (method, params) => {
      // A real chain makes blocks all the time. This one does so only when its clock is read.
      if (method === 'info_get_status' && time.trueMs() - blockAt >= BLOCK_MS && !isPlanned) makeBlock()
      const answer = await node.call(method, params)
      if (method === 'account_put_transaction') planBlock()
      return method === 'query_balance' ? lessened(answer, hidden) : answer
    }

  const nodes = hosts.nodes.map((url, index) => ({
    ...nodeOf(devnet),
    url,
    trouble: index === 0 ? ('first node' as const) : ('second node' as const),
    isHanging: false,
    delayMs: 0,
  }))

  async function askNode(node: NetworkNode, { body, signal }: RequestInit): Promise<Response> {
    if (node.isHanging) await hang(signal)
    if (node.delayMs > 0) await pause(random() * node.delayMs)
    const text = await answerRpcText(String(body), through(node)).catch(faultOf)
    if (text === null) return new Response(null, { status: 503 })
    // The second one is behind a proxy that removes the date.
    const date = node === nodes[0] ? { date: new Date(time.trueMs()).toUTCString() } : {}
    return new Response(text, { headers: { 'content-type': 'application/json', ...date } })
  }

  async function askEia(url: URL): Promise<Response> {
    await pause(50 + random() * 400)
    if (eiaFault === null) throw new TypeError('the connection was closed')
    if (eiaFault !== undefined) return eiaFault()
    const { status, body } = eia.answer(url)
    return Response.json(body, { status, headers: { date: new Date(time.trueMs()).toUTCString() } })
  }

  return {
    nodes,
    async fetch(url, init) {
      if (isCut) throw new TypeError('the host cannot be reached')
      const node = nodes.find((each) => each.url === url)
      return node === undefined ? askEia(new URL(url)) : askNode(node, init)
    },
    planBlock,
    cut(cuts) {
      isCut = cuts
    },
    honestFetch: async (_, { body }) => new Response(await answerRpcText(String(body), devnet.call)),
    failEia(fault) {
      eiaFault = fault
    },
    stall(stalls) {
      isStalled = stalls
      if (!stalls) planBlock()
    },
    hideMotes(motes) {
      hidden = motes
    },
  }
}

const hashesOf = ({ json }: ChainBlock): string[] => {
  const { transactions } = Object(json.block.Version2.body)
  const lanes: { Version1: string }[][] = Object.values(transactions)
  return lanes.flat().map(({ Version1 }) => Version1)
}

function lessened(answer: Awaited<ReturnType<AnswerRpc>>, hidden: bigint): typeof answer {
  if ('error' in answer || hidden === 0n) return answer
  const result = Object(answer.result)
  const left = BigInt(result.balance) - hidden
  // The agent may have spent more than that, after it saw the balance of a node that lags.
  return { result: { ...result, balance: String(left < 0n ? 0n : left) } }
}

/** A fault breaks the connection or answers 503; null here. */
function faultOf(error: unknown): null {
  if (error instanceof NodeFaultError && error.kind === 'refused') return null
  throw error instanceof NodeFaultError ? new TypeError('the connection was closed') : error
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

function hang(signal: RequestInit['signal']): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
  })
}
