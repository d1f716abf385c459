import { describe, expect, test } from 'bun:test'
import { nextTask } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { blockNode, createNodesRpc } from '@wattfeed/casper-devnet/testing/blockNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createLightClient, type LightClient } from '../../src/lightClient/createLightClient.ts'
import {
  type Checkpoint,
  type CheckpointStore,
  createNamedValidators,
  createTrustedValidators,
} from '../../src/lightClient/createValidators.ts'
import { VerificationError, type VerificationLink } from '../../src/lightClient/verificationError.ts'
import { parseNode } from '../../src/rpc/node.ts'
import { AllNodesFailedError } from '../../src/rpc/rpcErrors.ts'
import { decodeBlockHeader } from '../../src/types/blockHeader.ts'
import { readRecordedBlocks } from '../support/recordedBlocks.ts'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
  type SignedChainOptions,
  signBlock,
} from '../support/signedChain.ts'

const CHAIN = 'casper-devnet'
const three = [createValidator('a', 5n), createValidator('b', 4n), createValidator('c', 3n)]
const strangers = [createValidator('x', 5n), createValidator('y', 4n), createValidator('z', 3n)]

const plan: SignedChainOptions = { chainName: CHAIN, eras: 4, blocksPerEra: 3, validators: () => three }
const chain = createSignedChain(plan)
const genesis = hashOf(chain[0] as BlockJson)
const tip = chain.at(-1) as BlockJson
const tipTime = Date.parse(String(tip.block.Version2.header.timestamp))

const someNode = parseNode('http://node.test/rpc')

interface Setup {
  nodes: readonly AnswerRpc[]
  level?: 'proofs' | 'full'
  trusted?: string
  now?: () => number
  chainName?: string
  maxHeadAgeMs?: number
  maxCheckMs?: number
}

function open({ nodes, level = 'full', trusted = genesis, now = () => tipTime, ...rest }: Setup) {
  const { chainName = CHAIN, maxHeadAgeMs = 300_000, maxCheckMs = 4_000 } = rest
  const { rpc, calls } = createNodesRpc(chainName, ...nodes)
  const validators =
    level === 'full'
      ? createTrustedValidators({ rpc, chainName, trustedBlockHash: trusted })
      : createNamedValidators(rpc)
  const trustedBlockHash = level === 'full' ? trusted : null
  const options = { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, maxCheckMs, now }
  const blockCalls = () => calls.filter(({ method }) => method === 'chain_get_block').length
  return { client: createLightClient(options), rpc, calls, blockCalls }
}

/** The link that broke at the first node. The error of an intermediate block may be inside. */
async function brokenLink(client: LightClient): Promise<VerificationLink | string> {
  let error: Error = await errorOf(client.getHead())
  while (error instanceof AllNodesFailedError) error = error.failures[0]?.error ?? new Error('no failure')
  return error instanceof VerificationError ? error.link : error.message
}

const honest = blockNode(() => chain)
const serving = (blocks: readonly BlockJson[]): AnswerRpc => blockNode(() => blocks)

/** Copies a chain with one block replaced; later blocks still name the old one. */
const replaced = (blocks: readonly BlockJson[], height: number, by: BlockJson): BlockJson[] =>
  blocks.map((block, index) => (index === height ? by : block))

describe.concurrent('full', () => {
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
    // Head, trusted block, 39 switch blocks, the end of the first stretch, and the starts of about 20 walks.
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

  test('behavior: resumes from a checkpoint, and stores one', async () => {
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

  /** The results of validators with this checkpoint, and the checkpoints that they save. */
  async function startAt(load: CheckpointStore['load'], nodes: readonly AnswerRpc[] = [honest]) {
    const saved: string[] = []
    const { rpc } = createNodesRpc(CHAIN, ...nodes)
    const validators = createTrustedValidators({
      rpc,
      chainName: CHAIN,
      trustedBlockHash: genesis,
      checkpoint: {
        load,
        save: async ({ blockHash }) => {
          saved.push(blockHash)
        },
      },
    })
    const weights = await validators.weightsOf(decode(tip.block.Version2.header), someNode)
    return [weights.size, saved]
  }
  const other = createSignedChain({ ...plan, eras: 9, seed: 'other' })
  const both: AnswerRpc = serving([...other, ...chain])
  const at = (blockHash: string) => async () => ({ chainName: CHAIN, trustedBlockHash: genesis, blockHash })
  const unusable: [string, CheckpointStore['load'], AnswerRpc?][] = [
    ['names a block that ends no era', at(hashOf(chain[8] as BlockJson))],
    ['names no hash', at('x')],
    ['is of another shape', async () => ({ ...(await at('')()), blockHash: 5 }) as unknown as Checkpoint],
    ['cannot be loaded', () => Promise.reject(new Error('the file is a folder'))],
    ['is of another chain', at(hashOf(other[3] as BlockJson)), both],
    ['is of another chain that is longer', at(hashOf(other[24] as BlockJson)), both],
  ]
  test.each(unusable)('behavior: a checkpoint that %s is ignored', async (_, load, node = honest) => {
    expect(await startAt(load, [node])).toEqual([3, expect.any(Array)])
  })

  test('behavior: it is overwritten if it is shown to be of another chain', async () => {
    const reached = hashOf(chain[9] as BlockJson)
    expect(await startAt(at(hashOf(chain[8] as BlockJson)))).toEqual([3, [reached]])
    expect(await startAt(at(hashOf(other[3] as BlockJson)), [both])).toEqual([3, [reached]])
  })

  test('behavior: a good checkpoint outlives a head that does not go through it', async () => {
    const saved: string[] = []
    const { rpc, calls } = createNodesRpc(CHAIN, honest)
    const checkpoint = {
      load: at(hashOf(chain[6] as BlockJson)),
      save: async ({ blockHash }: Checkpoint) => {
        saved.push(blockHash)
      },
    }
    const trust = { rpc, chainName: CHAIN, trustedBlockHash: genesis, checkpoint }
    const validators = createTrustedValidators(trust)
    const weightsAt = (height: number) =>
      validators.weightsOf(decode((chain[height] as BlockJson).block.Version2.header), someNode)
    await weightsAt(5)
    expect(saved).toEqual([])
    const before = calls.length
    await weightsAt(12)
    // The only switch block after the checkpoint.
    expect([calls.length - before, saved]).toEqual([1, [hashOf(chain[9] as BlockJson)]])
  })

  test('behavior: it is reported once that a checkpoint cannot be saved', async () => {
    const told: unknown[] = []
    const { rpc } = createNodesRpc(CHAIN, honest)
    const checkpoint = { load: async () => null, save: () => Promise.reject(new Error('read-only')) }
    const trust = { rpc, chainName: CHAIN, trustedBlockHash: genesis, checkpoint }
    const validators = createTrustedValidators({ ...trust, onCheckpointError: (error) => told.push(error) })
    for (const height of [5, 8, 12])
      await validators.weightsOf(decode((chain[height] as BlockJson).block.Version2.header), someNode)
    expect(told).toEqual([new Error('read-only')])
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

describe.concurrent('a head that is not final yet', () => {
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

  test('behavior: a node that stands still is called last, so that the next head is that of another', async () => {
    const blocks = { a: chain.slice(0, 11), b: chain.slice(0, 10) }
    let isAway = false
    const answers = blockNode(() => blocks.a)
    const { client } = open({
      nodes: [
        (...call) => (isAway ? { error: { code: -32603, message: 'away' } } : answers(...call)),
        blockNode(() => blocks.b),
      ],
    })
    const next = async () => {
      const { block, node } = await client.getHead()
      return `${block.header.height} of ${node.host}`
    }
    expect(await next()).toBe('10 of node0.test')
    isAway = true
    expect(await next()).toBe('10 of node1.test')
    isAway = false
    blocks.a = chain.slice(0, 13)
    expect([await next(), await next()]).toEqual(['12 of node0.test', '12 of node0.test'])
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

describe.concurrent('lies', () => {
  test('error: a chain of other validators, from a genesis of their own', async () => {
    const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })
    const { client } = open({
      nodes: [serving([...forged.slice(0, -1), chain[0] as BlockJson, tipOf(forged)])],
    })
    expect(await brokenLink(client)).toBe('trusted block')
  })

  test('error: an era whose validators the era before did not name', async () => {
    // From era 3 on, strangers sign, although the switch block of era 2 names the old validators.
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

  test('error: a head that names as its switch block a block that is not one', async () => {
    const header = { ...tip.block.Version2.header, last_switch_block_hash: hashOf(chain[8] as BlockJson) }
    const { client } = open({ nodes: [serving([...chain.slice(0, -1), signBlock(header, three, CHAIN)])] })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: another block for the hash that was requested', async () => {
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

  test('error: a trusted block that no node has is named, with the option', async () => {
    const trusted = 'ab'.repeat(32)
    const { client } = open({ nodes: [honest], trusted })
    const { message } = await errorOf(client.getHead())
    expect(message).toContain(
      `trusted block: no node has the block ${trusted}; check trustedBlockHash (setting TRUSTED_BLOCK_HASH)`,
    )
    expect(message).not.toContain('No such block')
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

describe.concurrent('a head from the future', () => {
  test.each(['full', 'proofs'] as const)('error: more than a minute: %s', async (level) => {
    const { client, blockCalls } = open({ nodes: [honest], level, now: () => tipTime - 60_001 })
    let error: Error = await errorOf(client.getHead())
    while (error instanceof AllNodesFailedError) error = error.failures[0]?.error ?? error
    expect(error).toMatchObject({
      code: 'verification',
      link: 'head age',
      rule: "block 12 is 60001 ms ahead of this machine's clock: the block is forged, or the clock is wrong",
    })
    // Four calls for the head, and none for other blocks.
    expect(blockCalls()).toBe(4)
    expect(await open({ nodes: [honest], level, now: () => tipTime - 60_000 }).client.getHead()).toBeDefined()
  })
})

describe.concurrent('many eras', () => {
  const ERAS = 300
  const long = createSignedChain({ ...plan, eras: ERAS, blocksPerEra: 1 })
  const trusted = hashOf(long[0] as BlockJson)
  const now = () => Date.parse(String(tipOf(long).block.Version2.header.timestamp))
  const byHash = (answer: AnswerRpc, asked: string[]): AnswerRpc => {
    return (method, params) => {
      const { Hash } = Object(Object(params).block_identifier)
      if (Hash !== undefined) asked.push(Hash)
      return answer(method, params)
    }
  }

  test('default: they are verified stretch by stretch, each fetched once', async () => {
    const asked: string[] = []
    const { client } = open({ nodes: [byHash(serving(long), asked)], trusted, now })
    expect((await client.getHead()).block.header.height).toBe(ERAS)
    expect(new Set(asked).size).toBe(ERAS)
    expect(asked).toHaveLength(ERAS)
  })

  test('error: unsigned ones back to the trusted block: a stretch of them is fetched, and no more', async () => {
    const unsigned = createSignedChain({ ...plan, eras: ERAS, blocksPerEra: 1, signers: () => [], seed: 'x' })
    const asked: string[] = []
    const nodes = [byHash(serving(unsigned), asked)]
    const { client } = open({ nodes, trusted: hashOf(unsigned[0] as BlockJson), now })
    expect(await brokenLink(client)).toBe('finality signatures')
    expect(new Set(asked).size).toBeLessThanOrEqual(1 + 32)
  })

  test('behavior: a node that lies about the block at a height is skipped', async () => {
    const forged = createSignedChain({ ...plan, eras: ERAS, blocksPerEra: 1, validators: () => strangers })
    const lying: AnswerRpc = (method, params) =>
      JSON.stringify(params).includes('Height')
        ? serving(forged)(method, params)
        : serving(long)(method, params)
    const both: AnswerRpc = (method, params) => {
      const answered = serving(long)(method, params)
      return 'error' in Object(answered) ? serving(forged)(method, params) : answered
    }
    const sameAgain: AnswerRpc = (method, params) =>
      serving(long)(
        method,
        JSON.stringify(params).includes('Height') ? { block_identifier: { Height: 1 } } : params,
      )
    for (const node of [lying, sameAgain]) {
      const { client } = open({ nodes: [node, both], trusted, now })
      expect((await client.getHead()).block.hash).toBe(hashOf(tipOf(long)))
    }
  })

  test('behavior: eras of very different lengths', async () => {
    // 200 eras of one block, then 100 blocks of the last one.
    const short = createSignedChain({ ...plan, eras: 200, blocksPerEra: 1 })
    let parent = tipOf(short)
    const blocks = [...short]
    for (let height = 201; height <= 5_000; height += 1) {
      const { header, hash } = parent.block.Version2
      const isFirst = height === 201
      parent = signBlock(
        {
          ...header,
          parent_hash: hash,
          height,
          era_id: 201,
          era_end: null,
          last_switch_block_hash: isFirst ? hash : header.last_switch_block_hash,
        },
        height === 5_000 ? three : [],
        CHAIN,
      )
      blocks.push(parent)
    }
    const { client } = open({ nodes: [serving(blocks)], trusted: hashOf(short[0] as BlockJson), now })
    expect((await client.getHead()).block.header.height).toBe(5_000)
  })
})

describe.concurrent('a way that leads nowhere', () => {
  // It may be of another chain, or false. Only the whole walk decides, and a lying node could cause one with every head.
  test('behavior: is started again from the trusted block, at most once a minute', async () => {
    const foreign = createSignedChain({ ...plan, seed: 'foreign', validators: () => strangers })
    let fromTrusted = 0
    const honest = blockNode(() => [...foreign, ...chain])
    const { rpc } = createNodesRpc(CHAIN, (method, params) => {
      if (JSON.stringify(params).includes(genesis)) fromTrusted += 1
      return honest(method, params)
    })
    let time = 0
    const trust = { rpc, chainName: CHAIN, trustedBlockHash: genesis, now: () => time }
    const { weightsOf } = createTrustedValidators(trust)
    await weightsOf(decode(tip.block.Version2.header), someNode)
    const lie = decode((foreign.at(-1) as BlockJson).block.Version2.header)
    fromTrusted = 0
    for (const [now, expected] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
    ] as const) {
      time = now
      await errorOf(weightsOf(lie, someNode))
      expect([now, fromTrusted]).toEqual([now, expected])
    }
  })

  const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })

  /** Returns a node with its own head that never returns earlier blocks. */
  const stalling: AnswerRpc = (method, params) =>
    JSON.stringify(params).includes('Hash') ? new Promise(() => {}) : serving(forged)(method, params)

  test('behavior: another node is called when its time is up', async () => {
    const { client } = open({ nodes: [stalling, honest], maxCheckMs: 20 })
    expect((await client.getHead()).block.hash).toBe(hashOf(tip))
  })

  test('behavior: it delays no other walk, and there is one for each node', async () => {
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
      'its previous head is still being verified',
    )
    await nextTask()
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
      rule: expect.stringContaining('does not end the era before era 9'),
    })
  })
})

describe.concurrent('proofs', () => {
  test('default: believes the validators that the node names', async () => {
    const forged = createSignedChain({ ...plan, validators: () => strangers, seed: 'forged' })
    const { client, blockCalls } = open({ nodes: [serving(forged)], level: 'proofs' })
    expect((await client.getHead()).block.hash).toBe(hashOf(tipOf(forged)))
    expect(blockCalls()).toBe(2)
  })

  test('behavior: a made-up head binds no node, not even the one that served it', async () => {
    const made = signBlock(
      { ...tip.block.Version2.header, height: 2 ** 53 - 1, parent_hash: 'ab'.repeat(32) },
      three,
      CHAIN,
    )
    const later = signBlock({ ...made.block.Version2.header, timestamp: inAMinute() }, three, CHAIN)
    for (const lie of [made, later])
      for (const others of [[], [honest]]) {
        let blocks = [...chain, lie]
        const { client } = open({ nodes: [blockNode(() => blocks), ...others], level: 'proofs' })
        expect((await client.getHead()).block.hash).toBe(hashOf(lie))
        blocks = chain
        for (let reads = 0; reads < 3; reads++) expect((await client.getHead()).block.hash).toBe(hashOf(tip))
      }
  })

  test('behavior: a node that steps back is passed over as long as another answers', async () => {
    let blocks = chain
    const { client } = open({ nodes: [blockNode(() => blocks), honest], level: 'proofs' })
    await client.getHead()
    blocks = chain.slice(0, 8)
    for (let reads = 0; reads < 3; reads++) expect((await client.getHead()).block.hash).toBe(hashOf(tip))
  })

  test('behavior: the signatures of a head are checked once', async () => {
    const { client, blockCalls } = open({ nodes: [honest], level: 'proofs' })
    const [first, second] = [await client.getHead(), await client.getHead()]
    expect(second.block).toBe(first.block)
    expect(blockCalls()).toBe(3)
  })

  test('error: a switch block of another era', async () => {
    const header = { ...tip.block.Version2.header, era_id: 9 }
    const { client } = open({
      nodes: [serving([...chain, signBlock(header, three, CHAIN)])],
      level: 'proofs',
    })
    expect(await brokenLink(client)).toBe('switch block')
  })

  test('error: a head that those have not signed', async () => {
    const unsigned = createSignedChain({ ...plan, signers: (height) => (height < 4 ? three : strangers) })
    const { client } = open({ nodes: [serving(unsigned)], level: 'proofs' })
    expect(await brokenLink(client)).toBe('finality signatures')
  })
})

function inAMinute(): string {
  return new Date(tipTime + 59_000).toISOString()
}

function tipOf(blocks: readonly BlockJson[]): BlockJson {
  const last = blocks.at(-1)
  if (last === undefined) throw new Error('a chain has blocks')
  return last
}

function decode(header: Record<string, unknown>) {
  return decodeBlockHeader(header, 2)
}
