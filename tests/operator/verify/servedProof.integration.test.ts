import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { FeedProof } from 'wattfeed'
import { brokenLink, trustIn } from 'wattfeed/testing/provenFeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { BRENT, WTI } from 'wattfeed/testing/world'
import { verifyFeedProof } from '../../../packages/wattfeed/src/client/verifyFeedProof.ts'
import { type RunningServer, startServer } from './runningServer.ts'

const levels = ['off', 'proofs', 'full'] as const

let world: VerifiedWorld
let folder: Folder
const servers = new Map<string, RunningServer>()

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 2 })
  folder = createFolder()
  await Promise.all(
    levels.map(async (level) => {
      const full = {
        TRUSTED_BLOCK_HASH: world.genesisHash,
        CHECKPOINT_FILE: `${folder.path}/checkpoint.json`,
      }
      servers.set(level, await startServer(world, { VERIFY: level, ...(level === 'full' ? full : {}) }))
    }),
  )
})

afterAll(async () => {
  for (const server of servers.values()) await server[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests know their way
  body: any
}

async function get(level: string, path: string): Promise<Answer> {
  const response = await fetch(servers.get(level)?.url + path)
  return { status: response.status, body: await response.json() }
}

const proofPath = (from: string | null = world.genesisHash, feedId = WTI): string =>
  `/v1/feeds/${feedId}/proof${from === null ? '' : `?from=${from}`}`

/** The names of all members, at every depth; of lists those of the first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]))
}

describe('GET /v1/feeds/:id/proof of a running server', () => {
  test('default: the same document at every level, which proves the reading', async () => {
    const [off, proofs, full] = await Promise.all(levels.map((level) => get(level, proofPath())))
    expect([off?.status, proofs?.status, full?.status]).toEqual([200, 200, 200])
    expect(proofs?.body).toEqual(off?.body)
    expect(full?.body).toEqual(off?.body)
    expect(Object.keys(off?.body)).toEqual([
      'format',
      'reading',
      'count',
      'registries',
      'items',
      'block',
      'switch_blocks',
    ])
    expect(off?.body.reading).toEqual((await get('off', `/v1/feeds/${WTI}`)).body)
    const { links, ...check } = await verifyFeedProof(full?.body, trustIn(world))
    expect(brokenLink({ links, ...check })).toBeNull()
  })

  test('behavior: with `attester=1`, who may attest, at every level', async () => {
    for (const level of levels) {
      const { body } = await get(level, `${proofPath()}&attester=1`)
      const { attester } = await verifyFeedProof(body, trustIn(world))
      expect([attester?.account, attester?.authority?.minSigners]).toEqual([world.world.owner.accountHash, 1])
    }
  })

  test('default: the same of a past value, which is the reading that /history shows', async () => {
    const path = proofPath().replace('/proof', '/history/0/proof')
    const [off, proofs, full] = await Promise.all(levels.map((level) => get(level, path)))
    expect(proofs?.body).toEqual(off?.body)
    expect(full?.body).toEqual(off?.body)
    const { index, reading } = await verifyFeedProof(off?.body, { ...trustIn(world), feedId: WTI, index: 0 })
    const [item] = (await get('off', `/v1/feeds/${WTI}/history`)).body.items
    expect([index, String(reading?.amount), reading?.updated_at]).toEqual([0, item.amount, item.attested_at])
    expect((await get('off', path.replace('/0/', '/1/'))).status).toBe(404)
  })

  test('behavior: every part is the node’s own JSON', async () => {
    const { body } = await get('full', proofPath())
    const proof: FeedProof = body
    expect(shapeOf(proof.items)).toEqual([
      {
        registry: 'string',
        key: 'string',
        stored_value: { ContractPackage: expect.any(Object) },
        merkle_proof: 'string',
      },
    ])
    expect(
      proof.items.map(({ registry, stored_value }) => [registry, ...Object.keys(Object(stored_value))]),
    ).toEqual([
      ['FeedRegistry', 'ContractPackage'],
      ['FeedRegistry', 'Contract'],
      ['FeedRegistry', 'CLValue'],
      ['AttestationRegistry', 'ContractPackage'],
      ['AttestationRegistry', 'Contract'],
      ['AttestationRegistry', 'CLValue'],
      ['AttestationRegistry', 'CLValue'],
    ])
    const served = await world.world.devnet.call('chain_get_block', {
      block_identifier: { Hash: proof.block.hash },
    })
    const { block, proofs } = Object('result' in served ? served.result : null).block_with_signatures
    expect(proof.block).toEqual({ header: block.Version2.header, hash: block.Version2.hash, proofs })
  })

  test.each(levels)('behavior: without `from`, only the last switch block: %s', async (level) => {
    const { body } = await get(level, proofPath(null))
    const all = (await get(level, proofPath())).body.switch_blocks
    expect(body.switch_blocks).toEqual(all.slice(-1))
  })

  test('behavior: from any switch block on, in upper case too', async () => {
    const { switch_blocks } = (await get('off', proofPath())).body
    expect(switch_blocks.map(({ header }: { header: { era_id: number } }) => header.era_id)).toEqual([
      0, 1, 2,
    ])
    const [, second] = switch_blocks
    for (const from of [second.hash, second.hash.toUpperCase()])
      expect((await get('full', proofPath(from))).body.switch_blocks).toEqual(switch_blocks.slice(1))
  })

  test.each(levels)('error: a `from` that is no switch block of the chain: %s', async (level) => {
    const { body } = await get(level, proofPath())
    const rule = 'from must be the hash of a switch block, the last block of an era that has ended'
    for (const from of ['ab'.repeat(32), body.block.hash, body.block.header.parent_hash])
      expect(await get(level, proofPath(from))).toEqual({ status: 400, body: { error: rule } })
  })

  test.each(levels)('error: a feed that does not exist: %s', async (level) => {
    expect((await get(level, proofPath(world.genesisHash, 'NOPE'))).status).toBe(404)
  })

  test.each(levels)('behavior: /ready and the metrics report the verification: %s', async (level) => {
    const { body } = await get(level, '/ready')
    const metrics = await (await fetch(`${servers.get(level)?.url}/metrics`)).text()
    const { height } = world.world.devnet.produceBlock()
    if (level === 'off') expect(body.verification).toBeNull()
    else expect(body.verification).toMatchObject({ level })
    const shown = level === 'off' ? 'Nan' : height - 1
    expect(metrics).toContain(`\nwattfeed_verified_block_height ${shown}\n`)
  })

  test('behavior: a lying node is passed over, and its lies are counted', async () => {
    const { owner } = world.world
    // One after the other: whichever a server asks first.
    for (const [index, { faults }] of world.nodes.entries()) {
      faults.lie()
      const amount = BigInt(77 + index)
      await world.world.attest(owner, BRENT, amount)
      for (const level of ['proofs', 'full']) {
        const { status, body } = await get(level, `/v1/feeds/${BRENT}`)
        expect([status, body.amount]).toEqual([200, String(amount)])
        const proven = await get(level, proofPath(world.genesisHash, BRENT))
        expect((await verifyFeedProof(proven.body, trustIn(world))).reading?.amount).toBe(amount)
      }
      faults.clear()
    }
    for (const level of ['proofs', 'full']) {
      const metrics = await (await fetch(`${servers.get(level)?.url}/metrics`)).text()
      expect(metrics).toMatch(/wattfeed_rpc_rejected_total\{[^}]*code="merkle_proof"[^}]*\} [1-9]/)
    }
  })
})
