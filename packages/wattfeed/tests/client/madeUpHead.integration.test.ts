import { describe, expect, test } from 'bun:test'
import { type BlockJson, createValidator, hashOf, signBlock } from '@wattfeed/casper/testing/signedChain'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { patience } from '@wattfeed/testing/patience'
import { verifyFeedProof } from '../../src/client/verifyFeedProof.ts'
import { trustIn } from '../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { WTI } from '../support/world.ts'

const strangers = [3n, 4n, 5n].map((weight, index) => createValidator(`stranger ${index}`, weight))

/** A head of an old state, signed by validators that its own switch block names. */
async function makeUpHead(world: VerifiedWorld, timestamp: string): Promise<BlockJson[]> {
  const { chainName } = world.network
  const [switchBlock, old] = [await world.blockAt(20), await world.blockAt(30)]
  const next_era_validator_weights = strangers.map(({ publicKey, weight }) => ({
    validator: publicKey,
    weight: String(weight),
  }))
  const named = signBlock(
    {
      ...switchBlock.block.Version2.header,
      era_end: { ...Object(switchBlock.block.Version2.header.era_end), next_era_validator_weights },
    },
    strangers,
    chainName,
  )
  const head = signBlock(
    {
      ...old.block.Version2.header,
      timestamp,
      height: 2 ** 53 - 1,
      era_end: null,
      last_switch_block_hash: hashOf(named),
    },
    strangers,
    chainName,
  )
  return [named, head]
}

/** A node that shows an invented head, until it becomes honest. */
async function serveLiar(world: VerifiedWorld, timestamp: string) {
  const made = await makeUpHead(world, timestamp)
  let isLying = true
  const answer: AnswerRpc = (method, params) => {
    const { Hash } = Object(Object(params).block_identifier)
    const told = Hash === undefined ? made.at(-1) : made.find((block) => hashOf(block) === Hash)
    const isToldOf = isLying && method === 'chain_get_block' && told !== undefined
    return isToldOf
      ? { result: { api_version: '2.0.0', block_with_signatures: told } }
      : world.world.devnet.call(method, params)
  }
  return {
    url: await world.serve(answer),
    end() {
      isLying = false
    },
  }
}

const times: [string, () => string][] = [
  ['of the year 9999', () => '9999-12-31T23:59:59.999Z'],
  ['of now', () => new Date().toISOString()],
  ['of a minute later', () => new Date(Date.now() + 50_000).toISOString()],
]

describe.each(['off', 'proofs', 'full'] as const)('a head that is made up, over HTTP: %s', (verify) => {
  describe.each(times)('%s', (_, timestamp) => {
    test.concurrent.each([
      ['the node alone', false],
      ['beside an honest one', true],
    ])('behavior: once the lie ends, right values and proofs come at once: %s', async (__, hasOther) => {
      await using world = await createVerifiedWorld({ nodes: 1 })
      const liar = await serveLiar(world, timestamp())
      const rpcUrls = [liar.url, ...(hasOther ? [world.nodes[0]?.url ?? ''] : [])]
      const client = world.client([], { verify, rpcUrls, ...patience })
      const from = world.genesisHash
      const duringTheLie = [
        client.getReading(WTI),
        client.getFeedProof(WTI, { from }),
        client.getFeedProof(WTI),
      ]
      await Promise.allSettled(duringTheLie)
      liar.end()
      await world.world.attest(world.world.owner, WTI, 7n)
      expect((await client.getReading(WTI))?.amount).toBe(7n)
      const proof = await client.getFeedProof(WTI, { from })
      const { reading, links } = await verifyFeedProof(proof, trustIn(world))
      expect([reading?.amount, links.at(-1)?.link]).toEqual([7n, 'reading'])
    })
  })
})

test('behavior: a proof from a trusted block is right while one of two nodes lies', async () => {
  await using world = await createVerifiedWorld({ nodes: 1 })
  const liar = await serveLiar(world, new Date().toISOString())
  const rpcUrls = [liar.url, world.nodes[0]?.url ?? '']
  const client = world.client([], { verify: 'off', rpcUrls, ...patience })
  for (let reads = 0; reads < 3; reads++) {
    const proof = await client.getFeedProof(WTI, { from: world.genesisHash })
    const { reading } = await verifyFeedProof(proof, trustIn(world))
    expect(reading?.amount).toBe(59_910_000n)
  }
})
