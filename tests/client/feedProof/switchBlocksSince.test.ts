import { describe, expect, test } from 'bun:test'
import { decodeBlockHeader } from '../../../src/casper/block/blockHeader.ts'
import { createSwitchBlocksSince } from '../../../src/client/feedProof/switchBlocksSince.ts'
import { InvalidArgumentError } from '../../../src/client/index.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { blockNode, createNodesRpc } from '../../casper/lightClient/blockNode.ts'
import { errorOf } from '../../support/errorOf.ts'
import { type BlockJson, createSignedChain, createValidator, hashOf } from '../../support/signedChain.ts'

const CHAIN = 'casper-devnet'
const one = [createValidator('a', 1n)]

/** A chain of eras of one block or more. */
const chainOf = (eras: number, blocksPerEra = 1): BlockJson[] =>
  createSignedChain({ chainName: CHAIN, eras, blocksPerEra, validators: () => one })

const headerOf = (block: BlockJson | undefined) => decodeBlockHeader(block?.block.Version2.header, 2)

function open(blocks: readonly BlockJson[], node: AnswerRpc = blockNode(() => blocks)) {
  const { rpc, calls } = createNodesRpc(CHAIN, node)
  const since = createSwitchBlocksSince({ rpc, chainName: CHAIN })
  return {
    since: async (from: string | null, tip = blocks.at(-1)) =>
      (await since(headerOf(tip), from)).map(({ hash }) => hash),
    blockCalls: () => calls.filter(({ method }) => method === 'chain_get_block').length,
  }
}

const hashAt = (blocks: readonly BlockJson[], height: number): string => hashOf(blocks[height] as BlockJson)

describe('createSwitchBlocksSince', () => {
  const blocks = chainOf(5, 3)
  const switchBlocks = [0, 3, 6, 9, 12].map((height) => hashAt(blocks, height))

  test('default: every switch block from the one that is named on', async () => {
    const { since } = open(blocks)
    expect(await since(switchBlocks[0] ?? '')).toEqual(switchBlocks)
    expect(await since(switchBlocks[3] ?? '')).toEqual(switchBlocks.slice(3))
  })

  test('default: the last one, where none is named', async () => {
    const { since } = open(blocks)
    expect(await since(null)).toEqual(switchBlocks.slice(-1))
  })

  test('behavior: none before the first era has ended', async () => {
    expect(await open(blocks).since(null, blocks[0])).toEqual([])
  })

  test('behavior: what was fetched once is not fetched again', async () => {
    const { since, blockCalls } = open(blocks)
    await since(switchBlocks[0] ?? '')
    const first = blockCalls()
    for (const from of [switchBlocks[0], switchBlocks[2], null]) await since(from ?? null)
    expect([first, blockCalls()]).toEqual([5, 5])
  })

  test('behavior: a thousand eras are fetched, and no more', async () => {
    const long = chainOf(1_002)
    const { since } = open(long)
    expect(await since(hashAt(long, 2))).toHaveLength(1_000)
    const error = await errorOf(since(hashAt(long, 1)))
    expect([error, error.message]).toEqual([
      expect.any(InvalidArgumentError),
      'from must be one of the last 1000 eras, not of era 1',
    ])
  }, 60_000)

  const rule = 'from must be the hash of a switch block, the last block of an era that has ended'
  const wrong: [string, string][] = [
    ['a block that ends no era', hashAt(blocks, 4)],
    ['a block that is not there', 'ab'.repeat(32)],
    ['the switch block of the era itself', hashAt(blocks, 15)],
  ]
  test.each(wrong)('error: %s', async (_, from) => {
    const error = await errorOf(open(blocks).since(from))
    expect([error, error.message]).toEqual([expect.any(InvalidArgumentError), rule])
  })

  test('error: a node that fails is not the fault of who asks', async () => {
    const failing: AnswerRpc = () => ({ error: { code: -32603, message: 'Internal error' } })
    const { since } = open(blocks, failing)
    const error = await errorOf(since(switchBlocks[0] ?? ''))
    expect(error.code).toBe('all_nodes_failed')
  })

  test('behavior: hashes that strangers make up or pick fill no memory', async () => {
    const plain = chainOf(2, 500)
    const { since, blockCalls } = open(plain)
    const from = hashAt(plain, 0)
    await since(from)
    // More blocks than are remembered: none of them ends an era.
    for (let height = 2; height < 302; height++) await since(hashAt(plain, height)).catch(() => {})
    const before = blockCalls()
    await since(from)
    expect(blockCalls()).toBe(before)
    await since(hashAt(plain, 2)).catch(() => {})
    expect(blockCalls()).toBe(before + 1)
  })
})
