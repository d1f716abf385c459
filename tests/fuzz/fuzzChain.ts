import type { BlockJson } from '@wattfeed/casper/testing/signedChain'
import { type Devnet, noSuchStateRoot, type RpcAnswer } from '@wattfeed/casper-devnet'
import type { Packages } from 'wattfeed/testing/installRegistries'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import { bootRegistries, type World, worldOn } from 'wattfeed/testing/world'

/** A feed's true state at one block. */
export interface TrueFeed {
  title: string
  /** All attested amounts, oldest first. */
  amounts: readonly bigint[]
}

/** The true state at one block: feeds by id, in the order of their registration. */
export type Truth = ReadonlyMap<string, TrueFeed>

/** A prepared chain, which is shown block by block. */
export interface FuzzChain extends AsyncDisposable {
  chainName: string
  packages: Packages
  genesisHash: string
  /** Height of the last block. */
  tip: number
  block(height: number): BlockJson
  timeOf(height: number): number
  rootOf(height: number): string
  /** Returns the true state at a block. */
  truthAt(height: number): Truth
  /** The first height with this state root, or null. */
  heightOf(stateRootHash: string): number | null
  /** Returns the answer of an honest node whose newest block has this height. */
  answer(height: number, method: string, params: unknown): Promise<RpcAnswer>
}

export interface FuzzChainOptions {
  /** Two chains with different numbers of validators share only accounts, contracts and their hashes. */
  validators: number
  /** The first digits of every amount, which identify the chain. */
  firstAmount: bigint
  /** The start of every feed's title. */
  title: string
  /** Number of blocks after the first feeds. */
  blocks: number
  /** Whether some blocks are empty; a chain without empty blocks has longer event logs. */
  hasEmptyBlocks: boolean
}

export const BLOCK_MS = 16_000
const FIRST_FEEDS = 4
const MOST_FEEDS = 9

/** Number of cached answers. Calls repeat, and proofs are long. */
const MOST_KEPT = 1_500

/** Returns a feed's id by its number. */
export const fuzzFeedId = (index: number): string => `FUZZ.FEED.${index}`

interface Growing extends World {
  truth: Map<string, TrueFeed>
}

/** Creates a chain with both registries. Its package hashes do not depend on the options. */
export async function createFuzzChain(options: FuzzChainOptions): Promise<FuzzChain> {
  const { validators, blocks } = options
  const { chain, packages } = await bootRegistries(
    await createRulesChain({
      seed: 'fuzz',
      validators,
      eraLength: 8,
      retainedRoots: blocks + 100,
      tickMs: BLOCK_MS,
    }),
  )
  const world: Growing = { ...worldOn(chain, packages), truth: new Map() }
  const truths = await grow(world, options)
  return showChain(chain.devnet, packages, truths)
}

/** Makes the blocks. Returns the true state at each height. */
async function grow(world: Growing, options: FuzzChainOptions): Promise<Truth[]> {
  const truths: Truth[] = []
  let amount = options.firstAmount
  const note = async (): Promise<void> => {
    const height = await tipOf(world.devnet)
    for (let missed = truths.length; missed < height; missed++)
      truths[missed] ??= truths[missed - 1] ?? new Map()
    truths[height] = new Map(world.truth)
  }
  const attest = (feed: number) => attestOnce(world, fuzzFeedId(feed), ++amount)
  for (let feed = 0; feed < FIRST_FEEDS; feed++) await registerOnce(world, feed, options.title)
  for (let feed = 0; feed < FIRST_FEEDS; feed++) await attest(feed)
  await note()
  for (let block = 0; block < options.blocks; block++) {
    const feeds = world.truth.size
    if (block % 23 === 11 && feeds < MOST_FEEDS) await registerOnce(world, feeds, options.title)
    else if (options.hasEmptyBlocks && block % 7 === 6) produceEmpty(world)
    // The newest feed waits some blocks for its first value, and some feeds rarely get one.
    else
      await attest(
        block % 23 === 19 ? feeds - 1 : (block * 5 + (block >> 2)) % Math.max(FIRST_FEEDS, feeds - 1),
      )
    await note()
  }
  return truths
}

async function registerOnce(world: Growing, feed: number, title: string): Promise<void> {
  const id = fuzzFeedId(feed)
  assertDone(await world.register(world.owner, id, { title: `${title} ${feed}` }))
  world.truth.set(id, { title: `${title} ${feed}`, amounts: [] })
}

async function attestOnce(world: Growing, id: string, amount: bigint): Promise<void> {
  assertDone(await world.attest(world.owner, id, amount))
  const feed = world.truth.get(id)
  if (feed) world.truth.set(id, { ...feed, amounts: [...feed.amounts, amount] })
}

function produceEmpty(world: Growing): void {
  world.tick()
  world.devnet.produceBlock()
}

function assertDone(refused: string | null): void {
  if (refused !== null) throw new Error(refused)
}

async function tipOf(devnet: Devnet): Promise<number> {
  return Number(headerOf(await blockAt(devnet, {})).height)
}

async function blockAt(devnet: Devnet, params: object): Promise<BlockJson> {
  const answered = await devnet.call('chain_get_block', params)
  return Object('result' in answered ? answered.result : null).block_with_signatures
}

const headerOf = ({ block }: BlockJson): Record<string, unknown> => block.Version2.header

async function showChain(devnet: Devnet, packages: Packages, truths: readonly Truth[]): Promise<FuzzChain> {
  const tip = await tipOf(devnet)
  const blocks: BlockJson[] = []
  for (let height = 0; height <= tip; height++)
    blocks.push(await blockAt(devnet, { block_identifier: { Height: height } }))
  const block = (height: number): BlockJson => {
    const found = blocks[height]
    if (found === undefined) throw new Error(`the chain that was made ahead has no block ${height}`)
    return found
  }
  const rootOf = (height: number): string => String(headerOf(block(height)).state_root_hash)
  const heights = new Map<string, number>()
  for (let height = tip; height >= 0; height--) heights.set(rootOf(height), height)
  const hashes = new Map(blocks.map((each, height) => [each.block.Version2.hash, height]))
  const shown = { devnet, block, rootOf, heights, hashes }
  const kept = new Map<string, RpcAnswer>()
  return {
    chainName: devnet.chainName,
    packages,
    genesisHash: devnet.genesisHash,
    tip,
    block,
    rootOf,
    timeOf: (height) => Date.parse(String(headerOf(block(height)).timestamp)),
    truthAt: (height) => truths[height] ?? new Map(),
    heightOf: (root) => heights.get(root) ?? null,
    async answer(height, method, params) {
      // Cached or not, answers come in the order of their calls, so that a seed always gives the same order.
      const turn = new Promise<void>((resolve) => setImmediate(resolve))
      const answered = await find(height, method, params)
      await turn
      return answered
    },
    [Symbol.asyncDispose]: () => devnet.stop(),
  }

  async function find(height: number, method: string, params: unknown): Promise<RpcAnswer> {
    const asked = pin(shown, height, method, params)
    if ('error' in asked) return asked
    const name = `${method} ${JSON.stringify(asked.params)}`
    const known = kept.get(name)
    if (known) return method === 'info_get_status' ? withTip(known, block(height)) : known
    const answered = await devnet.call(method, asked.params)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(name, answered)
    return method === 'info_get_status' ? withTip(answered, block(height)) : answered
  }
}

interface Shown {
  devnet: Devnet
  block(height: number): BlockJson
  rootOf(height: number): string
  heights: ReadonlyMap<string, number>
  hashes: ReadonlyMap<string, number>
}

const noSuchBlock: RpcAnswer = { error: { code: -32001, message: 'No such block', data: 'no block found' } }

/** Limits a request to blocks up to a height. */
function pin(
  shown: Shown,
  height: number,
  method: string,
  params: unknown,
): { params: unknown } | Extract<RpcAnswer, { error: object }> {
  const { block_identifier, state_identifier, state_root_hash } = Object(params)
  if (method === 'chain_get_block' || method === 'chain_get_state_root_hash') {
    const { Height, Hash } = Object(block_identifier)
    const asked = Hash === undefined ? (Height ?? height) : shown.hashes.get(Hash)
    if (asked === undefined || !(asked <= height)) return noSuchBlock as never
    return { params: { block_identifier: { Height: asked } } }
  }
  if (method === 'query_global_state') {
    const root = Object(state_identifier).StateRootHash ?? shown.rootOf(height)
    if (!((shown.heights.get(root) ?? Number.POSITIVE_INFINITY) <= height)) return noSuchStateRoot('state')
    return { params: { ...Object(params), state_identifier: { StateRootHash: root } } }
  }
  if (method === 'state_get_dictionary_item') {
    const known = shown.heights.get(state_root_hash) ?? Number.POSITIVE_INFINITY
    return known <= height ? { params } : noSuchStateRoot('dictionary item')
  }
  return { params }
}

/** The status of a node with this newest block. */
function withTip(status: RpcAnswer, { block }: BlockJson): RpcAnswer {
  const { hash, header } = block.Version2
  const { timestamp, era_id, height, state_root_hash, proposer: creator } = header
  const info = { hash, timestamp, era_id, height, state_root_hash, creator }
  return 'result' in status
    ? { result: { ...Object(status.result), last_added_block_info: info, last_progress: timestamp } }
    : status
}
