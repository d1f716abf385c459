import type { BlockJson } from '../consensus/formatBlock.ts'
import { type TransactionVersion, transactionId } from '../transaction/transaction.ts'
import type { ChainBlock } from './chainBlock.ts'
import type { KnownTransaction } from './chainView.ts'
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
  genesis(): ChainBlock
  tip(): ChainBlock
  get(identifier: { hash: string } | { height: number }): ChainBlock | null
  latestSwitchBlock(): ChainBlock
  hasTransaction(version: TransactionVersion, hash: string): boolean
  getTransaction(version: TransactionVersion, hash: string): KnownTransaction | null
  fork(): BlockStore
}

type KeptBlock = Omit<ChainBlock, 'json'>
type KeptTransaction = Omit<KnownTransaction, 'blockHeight'>

interface Kept {
  /** The JSON of the blocks, and {@link KeptTransaction}s. */
  jsons: JsonStore
  blocks: (KeptBlock & { jsonIndex: number })[]
  /** By the hash of a block. */
  heights: Map<string, number>
  transactions: Map<string, { blockHeight: number; jsonIndex: number }>
  /** Height of the newest block that ended an era. */
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
        return jsons.get(jsonIndex) as BlockJson
      },
    }
  }
  const existing = (height: number): ChainBlock => {
    const block = get(height)
    if (block === null) throw new Error('the chain has no block yet')
    return block
  }
  return {
    add({ json, ...block }, included) {
      blocks.push({ ...block, jsonIndex: jsons.add(json) })
      heights.set(block.hash, block.height)
      if (block.isSwitchBlock) kept.switchHeight = block.height
      for (const { version, hash, json, executionResult } of included) {
        const known: KeptTransaction = { json, executionInfo: executionInfo(block, executionResult) }
        const place = { blockHeight: block.height, jsonIndex: jsons.add(known) }
        transactions.set(transactionId(version, hash), place)
      }
    },
    get isEmpty() {
      return blocks.length === 0
    },
    genesis: () => existing(0),
    tip: () => existing(blocks.length - 1),
    latestSwitchBlock: () => existing(kept.switchHeight),
    get: (identifier) =>
      get('height' in identifier ? identifier.height : (heights.get(identifier.hash) ?? -1)),
    hasTransaction: (version, hash) => transactions.has(transactionId(version, hash)),
    getTransaction(version, hash) {
      const found = transactions.get(transactionId(version, hash))
      if (found === undefined) return null
      return { ...(jsons.get(found.jsonIndex) as KeptTransaction), blockHeight: found.blockHeight }
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

const executionInfo = ({ hash, height }: KeptBlock, executionResult: object): object => ({
  block_hash: hash,
  block_height: height,
  execution_result: executionResult,
})
