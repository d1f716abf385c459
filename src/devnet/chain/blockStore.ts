import type { BlockJson } from '../consensus/formatBlock.ts'
import type { TransactionVersion } from '../transaction/transaction.ts'
import type { ChainBlock, KnownTransaction } from './chainView.ts'
import { createJsonStore, type JsonStore } from './jsonStore.ts'

export interface BlockTransaction {
  version: TransactionVersion
  hash: string
  laneId: number
  json: Readonly<Record<string, unknown>>
  /** The `execution_result`. */
  executionResult: object
}

export interface BlockStore {
  add(block: ChainBlock, transactions: readonly BlockTransaction[]): void
  readonly isEmpty: boolean
  tip(): ChainBlock
  get(identifier: { hash: string } | { height: number }): ChainBlock | null
  latestSwitchBlock(): ChainBlock
  hasTransaction(version: TransactionVersion, hash: string): boolean
  getTransaction(version: TransactionVersion, hash: string): KnownTransaction | null
  fork(): BlockStore
}

type KeptBlock = Omit<ChainBlock, 'json'>

interface Kept {
  jsons: JsonStore
  blocks: (KeptBlock & { jsonIndex: number })[]
  heights: Map<string, number>
  transactions: Map<string, { blockHeight: number; jsonIndex: number }>
  switchHeight: number
}

export function createBlockStore(): BlockStore {
  return storeOf({
    jsons: createJsonStore(),
    blocks: [],
    heights: new Map(),
    transactions: new Map(),
    switchHeight: 0,
  })
}

function storeOf(kept: Kept): BlockStore {
  const { jsons, blocks, heights, transactions } = kept
  const get = (height: number): ChainBlock | null => {
    const found = blocks[height]
    if (found === undefined) return null
    const { jsonIndex, ...block } = found
    return {
      ...block,
      // Decompress on demand: most callers do not read it.
      get json(): BlockJson {
        return Object(jsons.get(jsonIndex))
      },
    }
  }
  const existing = (height: number): ChainBlock => {
    const block = get(height)
    if (block === null) throw new Error('the chain has no block yet')
    return block
  }
  return {
    add({ json, ...block }, held) {
      blocks.push({ ...block, jsonIndex: jsons.add(json) })
      heights.set(block.hash, block.height)
      if (block.isSwitchBlock) kept.switchHeight = block.height
      for (const { version, hash, json, executionResult } of held) {
        const jsonIndex = jsons.add({ json, executionInfo: executionInfo(block, executionResult) })
        transactions.set(idOf(version, hash), { blockHeight: block.height, jsonIndex })
      }
    },
    get isEmpty() {
      return blocks.length === 0
    },
    tip: () => existing(blocks.length - 1),
    latestSwitchBlock: () => existing(kept.switchHeight),
    get: (identifier) =>
      get('height' in identifier ? identifier.height : (heights.get(identifier.hash) ?? -1)),
    hasTransaction: (version, hash) => transactions.has(idOf(version, hash)),
    getTransaction(version, hash) {
      const found = transactions.get(idOf(version, hash))
      if (found === undefined) return null
      const { json, executionInfo } = Object(jsons.get(found.jsonIndex))
      return { json, executionInfo, blockHeight: found.blockHeight }
    },
    fork: () =>
      storeOf({
        jsons: jsons.fork(),
        blocks: [...blocks],
        heights: new Map(heights),
        transactions: new Map(transactions),
        switchHeight: kept.switchHeight,
      }),
  }
}

const idOf = (version: TransactionVersion, hash: string): string => `${version} ${hash}`

const executionInfo = ({ hash, height }: KeptBlock, executionResult: object): object => ({
  block_hash: hash,
  block_height: height,
  execution_result: executionResult,
})
