import { describe, expect, test } from 'bun:test'
import { decodeBlockHeader } from '../../../src/casper/block/blockHeader.ts'
import type { Checkpoint } from '../../../src/casper/lightClient/checkpoint.ts'
import { createLightClient, type LightClient } from '../../../src/casper/lightClient/createLightClient.ts'
import {
  createNamedValidators,
  createTrustedValidators,
} from '../../../src/casper/lightClient/createValidators.ts'
import {
  VerificationError,
  type VerificationLink,
} from '../../../src/casper/lightClient/verificationError.ts'
import { AllNodesFailedError } from '../../../src/casper/rpcErrors.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { errorOf } from '../../support/errorOf.ts'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
  type SignedChainOptions,
  signBlock,
} from '../../support/signedChain.ts'
import { readRecordedBlocks } from '../block/recordedBlocks.ts'
import { blockNode, createNodesRpc } from './blockNode.ts'

const CHAIN = 'casper-devnet'
const three = [createValidator('a', 5n), createValidator('b', 4n), createValidator('c', 3n)]
const strangers = [createValidator('x', 5n), createValidator('y', 4n), createValidator('z', 3n)]

const plan: SignedChainOptions = { chainName: CHAIN, eras: 4, blocksPerEra: 3, validators: () => three }
const chain = createSignedChain(plan)
const genesis = hashOf(chain[0] as BlockJson)
const tip = chain.at(-1) as BlockJson
const tipTime = Date.parse(String(tip.block.Version2.header.timestamp))

const someNode = { url: 'http://node.test/rpc', host: 'node.test', headers: {} }

interface Setup {
  nodes: readonly AnswerRpc[]
  level?: 'proofs' | 'full'
  trusted?: string
  now?: () => number
  chainName?: string
  maxHeadAgeMs?: number
  longestCheckMs?: number
}

function open({ nodes, level = 'full', trusted = genesis, now = () => tipTime, ...rest }: Setup) {
  const { chainName = CHAIN, maxHeadAgeMs = 300_000, longestCheckMs = 4_000 } = rest
  const { rpc, calls } = createNodesRpc(chainName, ...nodes)
  const validators =
    level === 'full'
      ? createTrustedValidators({ rpc, chainName, trustedBlockHash: trusted })
      : createNamedValidators(rpc)
  const trustedBlockHash = level === 'full' ? trusted : null
  const options = { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, longestCheckMs, now }
  const blockCalls = () => calls.filter(({ method }) => method === 'chain_get_block').length
  return { client: createLightClient(options), rpc, calls, blockCalls }
}

/** Which link broke at the first node; a block that was asked for on the way may have failed within. */
async function brokenLink(client: LightClient): Promise<VerificationLink | string> {
  let error: Error = await errorOf(client.getHead())
  while (error instanceof AllNodesFailedError) error = error.failures[0]?.error ?? new Error('no failure')
  return error instanceof VerificationError ? error.link : error.message
}

const honest = blockNode(() => chain)
const serving = (blocks: readonly BlockJson[]): AnswerRpc => blockNode(() => blocks)

/** A copy of a chain with one block replaced; whoever names the old one still does. */
const replaced = (blocks: readonly BlockJson[], height: number, by: BlockJson): BlockJson[] =>
  blocks.map((block, index) => (index === height ? by : block))

describe('full', () => {
  test('default: the newest block, from the trusted one on', async () => {
    const { client } = open({ nodes: [honest] })
    const { block } = await client.getHead()
    expect([block.hash, block.weightSigned, block.weightTotal]).toEqual([hashOf(tip), 9n, 12n])
  })

  test('behavior: a head costs one call, and so does each new switch block', async () => {
    let length = 5
    const { client, blockCalls } = open({ nodes: [blockNode(() => chain.slice(0, length))] })
    await client.getHead()
    // Head, trusted block and the switch block of era 1.
    expect(blockCalls()).toBe(3)
    await client.getHead()
    expect(blockCalls()).toBe(4)
    length = 6
    await client.getHead()
    expect(blockCalls()).toBe(5)
    length = 8
    await client.getHead()
    expect(blockCalls()).toBe(7)
  })

  test('behavior: a validator set that changes is followed', async () => {
    const sets = [three, three, strangers, three, strangers]
    const changing = createSignedChain({ ...plan, validators: (eraId) => sets[eraId % 5] ?? three })
    const trusted = hashOf(changing[0] as BlockJson)
    const { client } = open({ nodes: [serving(changing)], trusted })
    expect((await client.getHead()).block.header.height).toBe(12)
  })

  test('behavior: many eras are fetched by several walks at once, each block once', async () => {
    const long = createSignedChain({ ...plan, eras: 40 })
    const trusted = hashOf(long[0] as BlockJson)
    const now = () => Date.parse(String(long.at(-1)?.block.Version2.header.timestamp))
    const { client, blockCalls } = open({ nodes: [serving(long)], trusted, now })
    expect((await client.getHead()).block.header.height).toBe(120)
    // Head, trusted block, 15 starts of walks, 39 switch blocks, some of which two walks meet at.
    expect(blockCalls()).toBeWithin(1 + 1 + 39, 1 + 1 + 15 + 39 + 16)
  })

  test('behavior: the recorded chain, from genesis', async () => {
    const recorded = readRecordedBlocks('switch-blocks-3-validators') as unknown as BlockJson[]
    const { client } = open({
      nodes: [serving(recorded)],
      chainName: 'casper-net-3',
      trusted: hashOf(recorded[0] as BlockJson),
      now: () => Date.parse('2026-11-20T10:58:30.000Z'),
    })
    expect((await client.getHead()).block.header.height).toBe(903)
  })

  test('behavior: goes on from a checkpoint, and keeps one', async () => {
    let saved: Checkpoint | null = null
    const checkpoint = {
      load: async () => saved,
      save: async (next: Checkpoint) => {
        saved = next
      },
    }
    const start = (length: number) => {
      const { rpc, calls } = createNodesRpc(CHAIN, serving(chain.slice(0, length)))
      const validators = createTrustedValidators({
        rpc,
        chainName: CHAIN,
        trustedBlockHash: genesis,
        checkpoint,
      })
      const { header } = (chain[length - 1] as BlockJson).block.Version2
      return { run: () => validators.weightsOf(decode(header), someNode), calls }
    }
    await start(8).run()
    expect(saved as Checkpoint | null).toEqual({
      chainName: CHAIN,
      trustedBlockHash: genesis,
      blockHash: hashOf(chain[6] as BlockJson),
    })
    const second = start(11)
    await second.run()
    // The checkpoint’s block and the switch block after it.
    expect(second.calls.filter(({ method }) => method === 'chain_get_block')).toHaveLength(2)
  })

  test('behavior: a checkpoint of another trusted block or chain is not used', async () => {
    for (const other of [{ trustedBlockHash: hashOf(chain[3] as BlockJson) }, { chainName: 'casper' }]) {
      const saved = { chainName: CHAIN, trustedBlockHash: genesis, blockHash: 'ab'.repeat(32), ...other }
      const checkpoint = { load: async () => saved, save: async () => {} }
      const { rpc } = createNodesRpc(CHAIN, honest)
      const validators = createTrustedValidators({
        rpc,
        chainName: CHAIN,
        trustedBlockHash: genesis,
        checkpoint,
      })
      expect((await validators.weightsOf(decode(tip.block.Version2.header), someNode)).size).toBe(3)
    }
  })
})

describe('a head that is not final yet', () => {
  const unsigned = createSignedChain({
    ...plan,
    signers: (height, validators) => (height >= 11 ? validators.slice(0, 1) : validators),
  })
  const trusted = hashOf(unsigned[0] as BlockJson)

  test('default: the newest final block before it', async () => {
    const { client } = open({ nodes: [serving(unsigned)], trusted })
    expect((await client.getHead()).block.header.height).toBe(10)
  })

  test('behavior: never older than one already shown', async () => {
    let blocks = chain
    const { client } = open({ nodes: [blockNode(() => blocks)] })
    expect((await client.getHead()).block.header.height).toBe(12)
    blocks = chain.slice(0, 10)
    expect((await client.getHead()).block.header.height).toBe(12)
  })

  test('error: no final block among the last ones', async () => {
    const long = createSignedChain({
      ...plan,
      blocksPerEra: 12,
      eras: 1,
      signers: (height, validators) => (height > 1 ? validators.slice(1) : validators),
    })
    const { client } = open({ nodes: [serving(long)], trusted: hashOf(long[0] as BlockJson) })
    expect(await brokenLink(client)).toBe('finality signatures')
  })
})

describe('lies', () => {
  test('error: a chain of other validators, from a genesis of their own', async () => {
    const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })
    const { client } = open({
      nodes: [serving([...forged.slice(0, -1), chain[0] as BlockJson, tipOf(forged)])],
    })
    expect(await brokenLink(client)).toBe('trusted block')
  })

  test('error: an era whose validators the era before did not name', async () => {
    // From era 3 on, strangers sign; the switch block of era 2 names the old validators.
    const usurped = createSignedChain({
      ...plan,
      signers: (height, validators) => (height > 6 ? strangers : validators),
    })
    const { client } = open({ nodes: [serving(usurped)], trusted: hashOf(usurped[0] as BlockJson) })
    expect(await brokenLink(client)).toBe('finality signatures')
  })

  test('error: a switch block left out', async () => {
    const header = { ...tip.block.Version2.header, last_switch_block_hash: hashOf(chain[6] as BlockJson) }
    const skipping = signBlock(header, three, CHAIN)
    const { client } = open({ nodes: [serving([...chain.slice(0, -1), skipping])] })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: a head that names a block as switch block which is none', async () => {
    const header = { ...tip.block.Version2.header, last_switch_block_hash: hashOf(chain[8] as BlockJson) }
    const { client } = open({ nodes: [serving([...chain.slice(0, -1), signBlock(header, three, CHAIN)])] })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: another block for the hash that was asked for', async () => {
    const answer: AnswerRpc = (method, params) =>
      JSON.stringify(params).includes('Hash')
        ? serving(chain.slice(0, 4))(method, {})
        : honest(method, params)
    const { client } = open({ nodes: [answer] })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: a trusted block that ends no era', async () => {
    const { client } = open({ nodes: [honest], trusted: hashOf(chain[2] as BlockJson) })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: a trusted block that the chain does not go through', async () => {
    const other = createSignedChain({ ...plan, seed: 'other' })
    const { client } = open({
      nodes: [serving([...other, ...chain])],
      trusted: hashOf(other[9] as BlockJson),
    })
    expect(await brokenLink(client)).toBe('trusted block')
  })

  test('error: signatures of another chain', async () => {
    const elsewhere = createSignedChain({ ...plan, chainName: 'casper' })
    const { client } = open({ nodes: [serving(elsewhere)], trusted: hashOf(elsewhere[0] as BlockJson) })
    expect(await brokenLink(client)).toBe('finality signatures')
  })

  test('error: a head that is too old', async () => {
    const { client } = open({ nodes: [honest], now: () => tipTime + 300_001 })
    expect(await brokenLink(client)).toBe('head age')
    const { client: patient } = open({ nodes: [honest], now: () => tipTime + 300_000 })
    expect((await patient.getHead()).block.header.height).toBe(12)
  })

  test('error: two final blocks at one height', async () => {
    let blocks = chain
    const fork = signBlock({ ...tip.block.Version2.header, random_bit: true }, three, CHAIN)
    const { client } = open({ nodes: [blockNode(() => blocks)] })
    await client.getHead()
    blocks = replaced(chain, 12, fork)
    expect(await brokenLink(client)).toBe('head')
  })

  test('behavior: a node without the signatures of a switch block is passed over for that block', async () => {
    const [bare] = [chain[9] as BlockJson].map((block) => ({ ...block, proofs: [] }))
    const stripped = replaced(chain, 9, bare as BlockJson)
    const { client } = open({ nodes: [serving(stripped), honest] })
    expect((await client.getHead()).block.hash).toBe(hashOf(tip))
  })

  test('behavior: a lying node among honest ones is passed over', async () => {
    const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })
    const { client } = open({ nodes: [serving(forged), honest] })
    expect((await client.getHead()).block.hash).toBe(hashOf(tip))
  })
})

describe('a way that leads nowhere', () => {
  const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })

  /** Shows a head of its own, and never says what was before it. */
  const stalling: AnswerRpc = (method, params) =>
    JSON.stringify(params).includes('Hash') ? new Promise(() => {}) : serving(forged)(method, params)

  test('behavior: another node is asked when its time is up', async () => {
    const { client } = open({ nodes: [stalling, honest], longestCheckMs: 20 })
    expect((await client.getHead()).block.hash).toBe(hashOf(tip))
  })

  test('behavior: it keeps no other way waiting, and there is one for each node', async () => {
    let wants = 0
    const counting: AnswerRpc = (method, params) => {
      if (JSON.stringify(params).includes('Hash')) wants += 1
      return stalling(method, params)
    }
    let length = forged.length
    const heads = createNodesRpc(CHAIN, (method, params) =>
      JSON.stringify(params).includes('Hash')
        ? counting(method, params)
        : blockNode(() => forged.slice(0, length))(method, params),
    )
    const { rpc } = heads
    const validators = createTrustedValidators({ rpc, chainName: CHAIN, trustedBlockHash: genesis })
    const header = (height: number) => decode((forged[height] as BlockJson).block.Version2.header)
    length = 9
    const first = validators.weightsOf(header(12), someNode)
    const same = validators.weightsOf(header(11), someNode)
    await expect(validators.weightsOf(header(8), someNode)).rejects.toThrow(
      'an earlier head of it is still being verified',
    )
    await Promise.resolve()
    expect(wants).toBe(1)
    for (const way of [first, same]) way.catch(() => {})
  })

  test('error: an era that does not follow its switch block', async () => {
    const { rpc } = createNodesRpc(CHAIN, honest)
    const validators = createTrustedValidators({ rpc, chainName: CHAIN, trustedBlockHash: genesis })
    const header = decode(tip.block.Version2.header)
    await validators.weightsOf(header, someNode)
    await expect(validators.weightsOf({ ...header, eraId: 9 }, someNode)).rejects.toMatchObject({
      link: 'switch block',
      rule: 'era 9 is not the one after it',
    })
  })
})

describe('proofs', () => {
  test('default: believes the validators that the node names', async () => {
    const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })
    const { client, blockCalls } = open({ nodes: [serving(forged)], level: 'proofs' })
    expect((await client.getHead()).block.hash).toBe(hashOf(tipOf(forged)))
    expect(blockCalls()).toBe(2)
  })

  test('error: a head that those have not signed', async () => {
    const unsigned = createSignedChain({ ...plan, signers: (height) => (height < 4 ? three : strangers) })
    const { client } = open({ nodes: [serving(unsigned)], level: 'proofs' })
    expect(await brokenLink(client)).toBe('finality signatures')
  })
})

function tipOf(blocks: readonly BlockJson[]): BlockJson {
  const last = blocks.at(-1)
  if (last === undefined) throw new Error('a chain has blocks')
  return last
}

function decode(header: Record<string, unknown>) {
  return decodeBlockHeader(header, 2)
}
