import { describe, expect, test } from 'bun:test'
import { checkFinality, validatorWeights } from '@wattfeed/casper/testing/internals'
import { type Block, decodeBlock, hashBlockBody } from '@wattfeed/casper/types'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import { chainspecs } from '../../src/chainspec.ts'
import {
  type Consensus,
  type ConsensusOptions,
  createConsensus,
  type NextBlock,
  type SignedBlock,
} from '../../src/consensus/createConsensus.ts'
import { chainspec } from '../support/chainspec.ts'

const chainName = 'casper-test-devnet'
const seed = new Uint8Array(32).fill(7)
const timestampMs = Date.UTC(2026, 10, 20, 12)

const create = (options: Partial<ConsensusOptions> = {}): Consensus =>
  createConsensus({ chainName, seed, chainspec, ...options })

/** The first blocks of a chain, one second apart, each with its own state root. */
function blocksOf(consensus: Consensus, count: number, next: Partial<NextBlock> = {}): SignedBlock[] {
  const blocks: SignedBlock[] = []
  for (let height = 0; height < count; height++)
    blocks.push(
      consensus.nextBlock({
        parent: blocks.at(-1)?.block ?? null,
        stateRootHash: hashOf(`root ${height}`),
        timestampMs: timestampMs + 1000 * height,
        ...next,
      }),
    )
  return blocks
}

/** Verifies like a reader who trusts the first block's hash: each era's weights come from the block before it. */
async function expectChainOfTrust(blocks: readonly SignedBlock[], name = chainName): Promise<void> {
  let weights = validatorWeights([])
  let parent: Block | null = null
  for (const { json } of blocks) {
    const block = decodeBlock(JSON.parse(JSON.stringify(json)))
    if (parent !== null) {
      expect(block.header.parentHash).toBe(parent.hash)
      expect((await checkFinality(block, weights, name)).isFinal).toBeTrue()
    }
    expect(hashBlockBody(json.block.Version2.body)).toBe(block.header.bodyHash)
    if (block.header.eraEnd) weights = validatorWeights(block.header.eraEnd.nextEraValidatorWeights)
    parent = block
  }
}

describe('createConsensus', () => {
  test('default: three eras of blocks that a client verifies from the first hash on', async () => {
    const blocks = blocksOf(create(), 62)
    await expectChainOfTrust(blocks)
    const switchBlocks = blocks.filter(({ block }) => block.header.eraEnd !== null)
    expect(switchBlocks.map(({ block }) => [block.header.eraId, block.header.height])).toEqual([
      [0, 0],
      [1, 20],
      [2, 40],
      [3, 60],
    ])
    expect(blocks.map(({ block }) => block.header.eraId)).toEqual([
      0,
      ...Array<number>(20).fill(1),
      ...Array<number>(20).fill(2),
      ...Array<number>(20).fill(3),
      4,
    ])
    // Every block, including a switch block, names the last block of the era before.
    for (const { block } of blocks.slice(1))
      expect(block.header.lastSwitchBlockHash).toBe(switchBlocks[block.header.eraId - 1]?.block.hash ?? '')
  })

  test('default: the first block', () => {
    const consensus = create()
    const [genesis] = blocksOf(consensus, 1)
    const { hash, header, proofs } = genesis?.block ?? {}
    const weights = consensus.weightsOf(1)
    expect(weights.map(({ weight }) => weight).sort()).toEqual([
      300_000_000_000_000n,
      400_000_000_000_000n,
      500_000_000_000_000n,
    ])
    expect(genesis?.json).toEqual({
      block: {
        Version2: {
          hash: hash ?? '',
          header: {
            parent_hash: '0'.repeat(64),
            state_root_hash: hashOf('root 0'),
            body_hash: '81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c',
            random_bit: header?.randomBit,
            accumulated_seed: header?.accumulatedSeed,
            era_end: {
              equivocators: [],
              inactive_validators: [],
              next_era_validator_weights: weights.map(({ validator, weight }) => ({
                validator,
                weight: String(weight),
              })),
              rewards: {},
              next_era_gas_price: 1,
            },
            timestamp: '2026-11-20T12:00:00.000Z',
            era_id: 0,
            height: 0,
            protocol_version: chainspec.protocol.version.join('.'),
            proposer: '00',
            current_gas_price: 1,
            last_switch_block_hash: null,
          },
          body: { transactions: {}, rewarded_signatures: [] },
        },
      },
      proofs: (proofs ?? []).map(({ publicKey, signature }) => ({ public_key: publicKey, signature })),
    })
    expect(proofs?.map(({ publicKey }) => publicKey)).toEqual(weights.map(({ validator }) => validator))
  })

  test('behavior: a formatted block decodes to the original', () => {
    for (const { block, json } of blocksOf(create({ eraLength: 2 }), 6))
      expect(decodeBlock(json)).toEqual(block)
  })

  test('behavior: the same seed gives the same blocks, another seed different ones', () => {
    expect(blocksOf(create(), 22)).toEqual(blocksOf(create(), 22))
    const other = create({ seed: new Uint8Array(32).fill(8) })
    const [own, others] = [create(), other].map(({ validators }) =>
      validators.map(({ publicKey }) => publicKey),
    )
    expect(own?.filter((publicKey) => others?.includes(publicKey))).toEqual([])
  })

  test('behavior: a chain continues from a formatted block', () => {
    const [, second, third] = blocksOf(create(), 3)
    const next = { stateRootHash: hashOf('root 2'), timestampMs: timestampMs + 2000 }
    expect(create().nextBlock({ parent: decodeBlock(second?.json), ...next })).toEqual(third as SignedBlock)
  })

  test('behavior: every input changes the hash', () => {
    const consensus = create()
    const [genesis] = blocksOf(consensus, 1)
    const input = { parent: genesis?.block ?? null, stateRootHash: hashOf('root'), timestampMs }
    const transactions = { 2: [{ Version1: hashOf('transaction') }] }
    const others: NextBlock[] = [
      { ...input, parent: null },
      { ...input, stateRootHash: hashOf('other') },
      { ...input, timestampMs: timestampMs + 1 },
      { ...input, transactions },
      { ...input, transactions: { 3: transactions[2] } },
      { ...input, transactions: { 2: [{ Deploy: hashOf('transaction') }] } },
    ]
    const hashes = [input, ...others].map((next) => consensus.nextBlock(next).block.hash)
    expect(new Set(hashes).size).toBe(7)
    expect(consensus.nextBlock({ ...input, transactions }).json.block.Version2.body.transactions).toEqual(
      transactions,
    )
  })

  test('behavior: rewards increase the weights in proportion', () => {
    const consensus = create({ eraLength: 1 })
    const ends = blocksOf(consensus, 5).map(({ block }) => block.header.eraEnd)
    const [first] = consensus.validators
    const shares = ends.map((end) => end?.nextEraValidatorWeights.map(({ weight }) => weight) ?? [])
    const stakes = consensus.validators.map(({ stakeMotes }) => stakeMotes)
    const rewards = stakes.map((stake) => stake / 500_000n)
    expect(ends[0]?.rewards).toEqual([])
    expect(ends[1]?.rewards[0]).toEqual([first?.publicKey ?? '', [rewards[0] ?? 0n]])
    expect(shares).toEqual([
      stakes,
      stakes,
      ...[1n, 2n, 3n].map((eras) => stakes.map((stake, index) => stake + eras * (rewards[index] ?? 0n))),
    ])
  })

  test('behavior: only the requested signers sign, and finality depends on their weight', async () => {
    const consensus = create()
    const byWeight = consensus.weightsOf(1).toSorted((a, b) => Number(a.weight - b.weight))
    const keys = byWeight.map(({ validator }) => validator)
    const isFinal = async (indexes: number[]): Promise<boolean> => {
      const signers = indexes.map((index) => keys[index] ?? '')
      const { block } = blocksOf(consensus, 2, { signers })[1] ?? {}
      if (block === undefined) throw new Error('there is a second block')
      expect(block.proofs.map(({ publicKey }) => publicKey)).toEqual(signers.toSorted())
      return (await checkFinality(block, validatorWeights(byWeight), chainName)).isFinal
    }
    // 3, 4 and 5 of 12: the first and the last weigh exactly two thirds.
    expect(await isFinal([0, 1, 2])).toBeTrue()
    expect(await isFinal([1, 2])).toBeTrue()
    expect(await isFinal([0, 2])).toBeFalse()
    expect(await isFinal([0, 1])).toBeFalse()
    expect(await isFinal([2])).toBeFalse()
    expect(await isFinal([])).toBeFalse()
  })

  test('behavior: a key that is not a validator’s does not sign', () => {
    expect(blocksOf(create(), 1, { signers: [`01${'ab'.repeat(32)}`] })[0]?.block.proofs).toEqual([])
  })

  test.each([
    ['2.0.3', 3],
    ['2.2.2', 6],
  ] as const)(
    'behavior: a block of %s rewards the signers of its parent, and lists %d blocks',
    (protocol, delay) => {
      const consensus = create({ chainspec: chainspecs[protocol] })
      const [first = '', , third = ''] = consensus.validators.map(({ publicKey }) => publicKey)
      const bits = (blocks: SignedBlock[]): unknown[] =>
        blocks.map(({ json }) => json.block.Version2.body.rewarded_signatures)
      const listed = (count: number): number[][] => [[224], ...Array.from({ length: count - 1 }, () => [0])]
      expect(bits(blocksOf(consensus, delay + 2))).toEqual([
        [],
        ...Array.from({ length: delay }, (_, index) => listed(index + 1)),
        listed(delay),
      ])
      expect(bits(blocksOf(consensus, 2, { signers: [first, third] })).at(1)).toEqual([[160]])
      expect(bits(blocksOf(create({ validators: 9 }), 2)).at(1)).toEqual([[255, 128]])
    },
  )

  test('behavior: one validator, or many', async () => {
    for (const validators of [1, 2, 40])
      await expectChainOfTrust(blocksOf(create({ validators, eraLength: 3 }), 8))
  })

  test('behavior: the proposer and the era end are known before the block', () => {
    const consensus = create({ eraLength: 4 })
    for (const { block } of blocksOf(consensus, 10)) {
      const { height, proposer, eraEnd } = block.header
      expect(consensus.proposerAt(height)).toBe(proposer ?? '')
      expect(consensus.eraEndAt(height)).toEqual(eraEnd)
    }
    expect(new Set([1, 2, 3].map(consensus.proposerAt)).size).toBe(3)
  })

  test('error: signatures for another chain name are invalid', async () => {
    const [, second] = blocksOf(create(), 2)
    const weights = validatorWeights(create().weightsOf(1))
    const isFinal = async (name: string): Promise<boolean> =>
      (await checkFinality(decodeBlock(second?.json), weights, name)).isFinal
    expect([await isFinal(chainName), await isFinal('casper-other')]).toEqual([true, false])
  })
})
