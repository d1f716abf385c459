import { describe, expect, test } from 'bun:test'
import { decodeBlockHeader } from '@wattfeed/casper/testing/internals'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
  type SignedChainOptions,
} from '@wattfeed/casper/testing/signedChain'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { blockNode, createNodesRpc } from '@wattfeed/casper-devnet/testing/blockNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { AllNodesFailedError, InvalidArgumentError } from 'wattfeed'
import { createSwitchBlocksSince } from '../../../src/client/proof/switchBlocksSince.ts'

const CHAIN = 'casper-devnet'
const one = [createValidator('a', 1n)]

/** A chain of eras of one block or more. */
const chainOf = (eras: number, blocksPerEra = 1): BlockJson[] => createSignedChain(planOf(eras, blocksPerEra))

function planOf(eras: number, blocksPerEra: number): SignedChainOptions {
  return { chainName: CHAIN, eras, blocksPerEra, validators: () => one }
}

const headerOf = (block: BlockJson | undefined) => decodeBlockHeader(block?.block.Version2.header, 2)

/** Longer than any test. */
const PATIENT_MS = 300_000

function open(blocks: readonly BlockJson[], ...nodes: AnswerRpc[]) {
  return openFor(PATIENT_MS, blocks, ...nodes)
}

/** @param maxWaitMs how long a caller waits for another caller's walk */
function openFor(maxWaitMs: number, blocks: readonly BlockJson[], ...nodes: AnswerRpc[]) {
  const { rpc, calls } = createNodesRpc(CHAIN, ...(nodes.length > 0 ? nodes : [blockNode(() => blocks)]))
  const since = createSwitchBlocksSince(rpc, CHAIN, maxWaitMs)
  return {
    since: async (from: string | null, tip = blocks.at(-1)) =>
      (await since(headerOf(tip), from)).map(({ hash }) => hash),
    blockCalls: () => calls.filter(({ method }) => method === 'chain_get_block').length,
  }
}

const hashAt = (blocks: readonly BlockJson[], height: number): string => hashOf(blocks[height] as BlockJson)

const rootAt = (blocks: readonly BlockJson[], height: number): string =>
  String(blocks[height]?.block.Version2.header.state_root_hash)

describe('createSwitchBlocksSince', () => {
  const blocks = chainOf(5, 3)
  const switchBlocks = [0, 3, 6, 9, 12].map((height) => hashAt(blocks, height))

  test('default: every switch block from the one that is named on', async () => {
    const { since } = open(blocks)
    expect(await since(switchBlocks[0] ?? '')).toEqual(switchBlocks)
    expect(await since(switchBlocks[3] ?? '')).toEqual(switchBlocks.slice(3))
  })

  test('default: only the last one without a trusted block', async () => {
    const { since } = open(blocks)
    expect(await since(null)).toEqual(switchBlocks.slice(-1))
  })

  test('behavior: none before the first era has ended', async () => {
    expect(await open(blocks).since(null, blocks[0])).toEqual([])
  })

  test('behavior: a fetched block is not fetched again', async () => {
    const { since, blockCalls } = open(blocks)
    await since(switchBlocks[0] ?? '')
    const first = blockCalls()
    for (const from of [switchBlocks[0], switchBlocks[2], null]) await since(from ?? null)
    expect([first, blockCalls()]).toEqual([5, 5])
  })

  test('behavior: if a node leads from the chain into a fork, each block is there once', async () => {
    const long = chainOf(40)
    const FORK = 8
    const fork = createSignedChain({
      ...planOf(40, 1),
      stateRootHash: (height) => (height < FORK ? rootAt(long, height) : 'ff'.repeat(32)),
      signers: (height, validators) => (height < FORK ? validators : []),
    })
    expect(hashAt(fork, FORK - 1)).toBe(hashAt(long, FORK - 1))
    // It serves the fork by height, and both chains by hash.
    const liar: AnswerRpc = (method, params) =>
      blockNode(() => (JSON.stringify(params).includes('Height') ? fork : [...fork, ...long]))(method, params)
    const { since } = open(
      long,
      liar,
      blockNode(() => long),
    )
    expect(await since(hashAt(long, 0))).toEqual(long.slice(0, -1).map(hashOf))
  })

  test('behavior: a thousand eras are fetched, and no more', async () => {
    const long = chainOf(1_002)
    const { since } = open(long)
    expect(await since(hashAt(long, 2))).toHaveLength(1_000)
    const error = await errorOf(since(hashAt(long, 1)))
    expect([error, error.message]).toEqual([
      expect.any(InvalidArgumentError),
      'from must be a block of the last 1000 eras, not of era 1',
    ])
  })

  describe('signatures', () => {
    const [first, ...rest] = blocks
    const stripped = [first, ...rest.map((block) => ({ ...block, proofs: [] }))] as BlockJson[]

    test('error: switch blocks without signatures are neither returned nor cached', async () => {
      let served = stripped
      const { since } = open(
        blocks,
        blockNode(() => served),
      )
      let error: Error = await errorOf(since(switchBlocks[0] ?? ''))
      while (error instanceof AllNodesFailedError) error = error.failures[0]?.error ?? error
      expect(error).toMatchObject({ code: 'verification', link: 'finality signatures' })
      served = blocks
      expect(await since(switchBlocks[0] ?? '')).toEqual(switchBlocks)
    })

    test('behavior: those of another node are taken, and sent', async () => {
      const { rpc } = createNodesRpc(
        CHAIN,
        blockNode(() => stripped),
        blockNode(() => blocks),
      )
      const since = createSwitchBlocksSince(rpc, CHAIN)
      const sent = await since(headerOf(blocks.at(-1)), switchBlocks[0] ?? '')
      expect(sent.map(({ proofs }) => Array.from(Object(proofs)).length)).toEqual([1, 1, 1, 1, 1])
    })

    test('error: a chain of other validators than the trusted block names', async () => {
      const signers = (height: number) => (height < 7 ? one : [createValidator('b', 1n)])
      const usurped = createSignedChain({ ...planOf(5, 3), signers })
      const error = await errorOf(open(usurped).since(hashAt(usurped, 0)))
      expect(error.message).toContain('the switch block of era 3 is signed by')
    })
  })

  describe('concurrent callers', () => {
    /** Answers on demand. */
    function createGate(answer: AnswerRpc) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const gated: AnswerRpc = async (method, params) => {
        await promise
        return answer(method, params)
      }
      return { gated, open: resolve }
    }

    test('behavior: they share a way, and one that is part of it', async () => {
      const { since, blockCalls } = open(blocks)
      const froms = [switchBlocks[0], switchBlocks[0], switchBlocks[2], switchBlocks[1]]
      const found = await Promise.all(froms.map((from) => since(from ?? null)))
      expect(found.map((each) => each.length)).toEqual([5, 5, 3, 4])
      expect(blockCalls()).toBe(5)
    })

    test('error: one fetch at a time', async () => {
      const gate = createGate(blockNode(() => blocks))
      const { since } = openFor(20, blocks, gate.gated)
      const first = since(switchBlocks[0] ?? '')
      const refused = await errorOf(since(switchBlocks[2] ?? ''))
      expect([refused.code, refused.retryable]).toEqual(['proof_busy', true])
      gate.open()
      expect(await first).toEqual(switchBlocks)
      expect(await since(switchBlocks[2] ?? '')).toEqual(switchBlocks.slice(2))
    })

    test('behavior: cached blocks and the last one are never rejected', async () => {
      let gate: ReturnType<typeof createGate> | null = null
      const honest = blockNode(() => blocks)
      const { since } = open(blocks, (method, params) => {
        const wanted = Object(params).block_identifier?.Hash
        return gate && wanted === switchBlocks[0] ? gate.gated(method, params) : honest(method, params)
      })
      await since(switchBlocks[2] ?? '')
      gate = createGate(honest)
      const first = since(switchBlocks[0] ?? '')
      expect(await since(switchBlocks[3] ?? '')).toEqual(switchBlocks.slice(3))
      expect(await since(null, blocks[5])).toEqual([switchBlocks[1] ?? ''])
      gate.open()
      expect(await first).toEqual(switchBlocks)
    })
  })

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

  test('error: a failing node is not the fault of the caller', async () => {
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
    // More blocks than the cache holds, none of which ends an era.
    for (let height = 2; height < 302; height++) await since(hashAt(plain, height)).catch(() => {})
    const before = blockCalls()
    await since(from)
    expect(blockCalls()).toBe(before)
    await since(hashAt(plain, 2)).catch(() => {})
    expect(blockCalls()).toBe(before + 1)
  })
})
