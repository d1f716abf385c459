import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { type GlobalState, readAddress } from '@wattfeed/casper'
import { errorOf } from '@wattfeed/testing/errorOf'
import { type FeedProof, type FeedProofTrust, UnsupportedAccountError } from 'wattfeed'
import { changed, leavesOf, without, withValue } from 'wattfeed/testing/jsonLeaves'
import { localClient } from 'wattfeed/testing/localClient'
import { brokenLink, trustIn } from 'wattfeed/testing/provenFeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { BRENT, WTI } from 'wattfeed/testing/world'
import type { FoundEvidence } from '../../../../packages/casper/src/state/absenceEvidence.ts'
import { createAttesterProof } from '../../../../packages/wattfeed/src/client/proof/create/createAttesterProof.ts'
import type { ProvenRegistry } from '../../../../packages/wattfeed/src/client/proof/provenRegistry.ts'
import { verifyFeedProof } from '../../../../packages/wattfeed/src/client/verifyFeedProof.ts'
import type { FieldRequest } from '../../../../packages/wattfeed/src/registry/rootReader.ts'
import { createLegacyWorld, formCommittee, keyHashes } from './attesterWorlds.ts'

const OTHER = 'EIA.OTHER.FEED'

let world: VerifiedWorld
let trust: FeedProofTrust
let owners: FeedProof
let others: FeedProof

async function proofOf(feedId: string, attester = true): Promise<FeedProof> {
  const client = world.client([0], { verify: 'off' })
  const proof = await client.getFeedProof(feedId, { from: world.genesisHash, attester })
  return JSON.parse(JSON.stringify(proof))
}

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  trust = trustIn(world)
  const { alice, register, attest } = world.world
  expect([await register(alice, OTHER), await attest(alice, OTHER, 7n)]).toEqual([null, null])
  await formCommittee(world.world)
  owners = await proofOf(WTI)
  others = await proofOf(OTHER)
})

afterAll(() => world[Symbol.asyncDispose]())

const linkOf = async (proof: unknown): Promise<string | null> =>
  brokenLink(await verifyFeedProof(proof, trust))

describe('a proof with the attester', () => {
  test('default: the account, its keys and thresholds, and how many must sign', async () => {
    const { attester, reading, links } = await verifyFeedProof(owners, trust)
    const account = world.world.owner.accountHash
    expect(reading?.feed_id).toBe(WTI)
    expect(attester?.account).toBe(account)
    expect(attester?.authority?.keys.map(({ accountHash }) => accountHash).sort()).toEqual(
      keyHashes.map((hex) => (hex === '' ? account : `account-hash-${hex}`)).sort(),
    )
    expect(attester?.authority?.keys.map(({ weight }) => weight)).toEqual([1, 1, 1, 1, 1])
    expect(attester?.authority).toMatchObject({
      thresholds: { deployment: 4, keyManagement: 4 },
      minSigners: 4,
    })
    expect(links.slice(-3).map(({ link, detail }) => [link, detail])).toEqual([
      [`FeedRegistry feed_attester[${WTI}]`, String(owners.attester?.claimant.key)],
      ['attester', `${account}, 4 of 5 keys must sign`],
      ['reading', expect.stringContaining(WTI)],
    ])
  })

  test('behavior: it equals what the client reads', async () => {
    const read = await world.client([0]).getAttester(OTHER)
    const { attester } = await verifyFeedProof(others, trust)
    expect(attester).toEqual(read)
    expect(attester?.account).toBe(world.world.alice.accountHash)
  })

  test('behavior: without the option, it is the same proof without the attester', async () => {
    const { attester, ...rest } = owners
    expect(attester).toBeDefined()
    expect(JSON.stringify(await proofOf(WTI, false))).toBe(JSON.stringify(rest))
    expect(await verifyFeedProof(rest, trust)).not.toHaveProperty('attester')
  })

  test('error: any part of it changed or left out breaks a link that names the attester', async () => {
    const link = /^(FeedRegistry feed_attester\[.*\]( is absent)?|attester)$/
    const paths = leavesOf(owners.attester, ['attester'])
    expect(paths.length).toBeGreaterThan(20)
    for (const [path, value] of paths) {
      for (const copy of [withValue(owners, path, changed(value)), without(owners, path)]) {
        const broken = await linkOf(copy).catch((error) => {
          expect(error).toBeInstanceOf(DecodeError)
          return 'attester'
        })
        // The type of a value is not needed to read it.
        if (broken === null) expect(path).toContain('parsed')
        else expect(broken).toMatch(link)
      }
    }
  })

  test('error: parts of another feed’s attester', async () => {
    const [own, other] = [owners.attester, others.attester]
    const claim = `FeedRegistry feed_attester[${WTI}]`
    expect(await linkOf({ ...owners, attester: other })).toBe(claim)
    expect(await linkOf({ ...owners, attester: { ...own, claimant: other?.claimant } })).toBe(claim)
    expect(await linkOf({ ...owners, attester: { ...own, account: other?.account } })).toBe('attester')
    expect(await linkOf(without(owners, ['attester', 'account']))).toBe('attester')
    const evidence = { merkle_proof: own?.claimant.merkle_proof }
    expect(await linkOf({ ...owners, attester: { ...own, unclaimed: evidence } })).toBe(`${claim} is absent`)
  })

  test.each<[name: string, attester: unknown]>([
    ['a list', []],
    ['no claimant', {}],
    ['evidence of an unknown kind', { unclaimed: { ids: [] } }],
    ['an account without a proof', { account: { key: 'a' } }],
  ])('error: %s is unreadable', async (_, attester) => {
    const changes = Array.isArray(attester) ? attester : { ...owners.attester, ...Object(attester) }
    const parts = JSON.stringify(attester) === '{}' ? {} : changes
    await expect(verifyFeedProof({ ...owners, attester: parts }, trust)).rejects.toThrow(
      '"attester" must be null or {claimant, unclaimed?, account?}',
    )
  })

  test('behavior: null if the server cannot prove it', async () => {
    const { attester, reading } = await verifyFeedProof({ ...owners, attester: null }, trust)
    expect([attester, reading?.feed_id]).toEqual([null, WTI])
  })
})

describe('a proof that needs more than the node has', () => {
  const record = (key: string) => ({ key, stored_value: {}, merkle_proof: '' })

  /** What the reads of a proof find, and what it proves of the attester. */
  async function proofFrom(found: {
    claimant: string | null
    account?: object
    evidence?: FoundEvidence
  }): Promise<unknown> {
    const item = { registry: 'FeedRegistry' as const, ...record('dictionary-ab') }
    const feeds: ProvenRegistry = {
      items: owners.items.slice(0, 2),
      read: async <T>({ what, read }: FieldRequest<T>) => {
        expect(read as unknown).toBe(readAddress)
        return what === 'owner' || found.claimant !== null
          ? { value: (found.claimant ?? 'hash-ab') as T, item }
          : null
      },
    }
    const state = { query: async () => found.account ?? null } as unknown as GlobalState
    const evidence = { keep() {}, find: async () => found.evidence ?? null, askAgain() {} }
    return createAttesterProof({ state, evidence, stateRootHash: '', feedId: WTI }, feeds)
  }

  test('behavior: a contract has no account', async () => {
    expect(await proofFrom({ claimant: `hash-${'ab'.repeat(32)}` })).toEqual({
      claimant: { registry: 'FeedRegistry', ...record('dictionary-ab') },
    })
  })

  test('behavior: null if nothing shows that the feed has no claimant', async () => {
    const present = { verdict: 'present', evidence: { merkleProof: '' } } as const
    expect(await proofFrom({ claimant: null })).toBeNull()
    expect(await proofFrom({ claimant: null, evidence: present })).toBeNull()
  })

  test('behavior: null for an account that is not on chain', async () => {
    expect(await proofFrom({ claimant: `account-hash-${'ab'.repeat(32)}` })).toBeNull()
  })

  test('error: the chain stores the account as an addressable entity', async () => {
    const claimant = `account-hash-${'ab'.repeat(32)}`
    const account = { ...record(claimant), stored_value: { CLValue: { cl_type: 'Key', bytes: '' } } }
    expect(await errorOf(proofFrom({ claimant, account }))).toEqual(new UnsupportedAccountError(claimant))
  })
})

describe('a feed from before claims', () => {
  test('default: the owner of the FeedRegistry, with evidence that the feed has no claimant', async () => {
    await using legacy = await createLegacyWorld()
    const { devnet, packages, owner } = legacy
    const network = {
      chainName: devnet.chainName,
      feedRegistryPackageHash: packages.FeedRegistry,
      attestationRegistryPackageHash: packages.AttestationRegistry,
    }
    const { client } = localClient({ ...network, answer: devnet.call })
    const proof = await client.getFeedProof(BRENT, { from: devnet.genesisHash, attester: true })
    const legacyTrust = { ...network, trustedBlockHash: devnet.genesisHash }
    const { attester, links } = await verifyFeedProof(proof, legacyTrust)
    expect([attester?.account, attester?.authority?.minSigners]).toEqual([owner.accountHash, 1])
    expect(links.slice(-4).map(({ link }) => link)).toEqual([
      `FeedRegistry feed_attester[${BRENT}] is absent`,
      'FeedRegistry owner',
      'attester',
      'reading',
    ])
    const plain = JSON.parse(JSON.stringify(proof))
    const unclaimed = without(plain, ['attester', 'unclaimed'])
    expect(brokenLink(await verifyFeedProof(unclaimed, legacyTrust))).toBe(
      `FeedRegistry feed_attester[${BRENT}]`,
    )
  })
})
