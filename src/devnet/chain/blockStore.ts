import type { BlockJson } from '../consensus/formatBlock.ts'
import type { TransactionVersion } from '../transaction/transaction.ts'
import type { ChainBlock, KnownTransaction } from './chainView.ts'

/** What became of a transaction in a block. */
export interface BlockTransaction {
  version: TransactionVersion
  /** 64 hex digits. */
  hash: string
  laneId: number
  /** As `info_get_transaction` prints it. */
  json: Readonly<Record<string, unknown>>
  /** The `execution_result`. */
  executionResult: object
}

/** Every block from the first, and the transactions that they hold. */
export interface BlockStore {
  add(block: ChainBlock, transactions: readonly BlockTransaction[]): void
  readonly isEmpty: boolean
  /** The newest. Throws where there is none yet. */
  tip(): ChainBlock
  get(identifier: { hash: string } | { height: number }): ChainBlock | null
  /** The newest that ended an era. */
  latestSwitchBlock(): ChainBlock
  hasTransaction(version: TransactionVersion, hash: string): boolean
  getTransaction(version: TransactionVersion, hash: string): KnownTransaction | null
}

type KeptBlock = Omit<ChainBlock, 'json'>

/** Keeps blocks in memory, compressed. */
export function createBlockStore(): BlockStore {
  const jsons = createJsonStore()
  const blocks: (KeptBlock & { jsonIndex: number })[] = []
  const heights = new Map<string, number>()
  const transactions = new Map<string, { blockHeight: number; jsonIndex: number }>()
  let switchHeight = 0

  const get = (height: number): ChainBlock | null => {
    const kept = blocks[height]
    if (kept === undefined) return null
    const { jsonIndex, ...block } = kept
    return {
      ...block,
      // Most who look at a block do not ask for it.
      get json(): BlockJson {
        return Object(jsons.get(jsonIndex))
      },
    }
  }
  const existing = (height: number): ChainBlock => {
    const block = get(height)
    if (block === null) throw new Error('there is no block yet')
    return block
  }
  return {
    add({ json, ...block }, held) {
      blocks.push({ ...block, jsonIndex: jsons.add(json) })
      heights.set(block.hash, block.height)
      if (block.isSwitchBlock) switchHeight = block.height
      for (const { version, hash, json, executionResult } of held) {
        const jsonIndex = jsons.add({ json, executionInfo: executionInfo(block, executionResult) })
        transactions.set(idOf(version, hash), { blockHeight: block.height, jsonIndex })
      }
    },
    get isEmpty() {
      return blocks.length === 0
    },
    tip: () => existing(blocks.length - 1),
    latestSwitchBlock: () => existing(switchHeight),
    get: (identifier) =>
      get('height' in identifier ? identifier.height : (heights.get(identifier.hash) ?? -1)),
    hasTransaction: (version, hash) => transactions.has(idOf(version, hash)),
    getTransaction(version, hash) {
      const found = transactions.get(idOf(version, hash))
      if (found === undefined) return null
      const { json, executionInfo } = Object(jsons.get(found.jsonIndex))
      return { json, executionInfo, blockHeight: found.blockHeight }
    },
  }
}

const idOf = (version: TransactionVersion, hash: string): string => `${version} ${hash}`

const executionInfo = ({ hash, height }: KeptBlock, executionResult: object): object => ({
  block_hash: hash,
  block_height: height,
  execution_result: executionResult,
})

/**
 * JSON values that are kept compressed: a chain of 20,000 blocks holds some 200 MB of JSON. What lies side by side is
 * alike, so it is compressed together. The newest values are the ones that are asked for; they stay as they are.
 */
export interface JsonStore {
  /** Keeps a value, and returns what it can be had again by. */
  add(value: unknown): number
  get(index: number): unknown
}

const PACK = 16
/** No JSON text has one in it. */
const SEPARATOR = '\n'

export function createJsonStore(): JsonStore {
  const packs: Uint8Array[] = []
  const newest: string[] = []
  const textAt = (index: number): string | undefined => {
    const pack = packs[Math.floor(index / PACK)]
    return pack === undefined ? newest[index - packs.length * PACK] : unpack(pack)[index % PACK]
  }
  return {
    add(value) {
      const length = newest.push(JSON.stringify(value))
      const index = packs.length * PACK + length - 1
      if (length === 2 * PACK) packs.push(Bun.zstdCompressSync(newest.splice(0, PACK).join(SEPARATOR)))
      return index
    },
    get(index) {
      const text = textAt(index)
      if (text === undefined) throw new RangeError(`there is no value ${index}`)
      return JSON.parse(text)
    },
  }
}

const unpack = (pack: Uint8Array): string[] => Bun.zstdDecompressSync(pack).toString().split(SEPARATOR)
