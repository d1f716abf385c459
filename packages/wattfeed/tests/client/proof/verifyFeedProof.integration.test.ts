import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { flipLast } from '@wattfeed/testing/flipLast'
import { DecodeError, type FeedProof, type FeedProofTrust, InvalidArgumentError } from 'wattfeed'
import { verifyFeedProof } from '../../../src/client/verifyFeedProof.ts'
import { type Path, valueAt, without, withValue } from '../../support/jsonLeaves.ts'
import { brokenLink, proofOf, trustIn } from '../../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../../support/verifiedWorld.ts'
import { BRENT, PERIOD, SOURCE_HASH, WTI, wtiFeed } from '../../support/world.ts'

let world: VerifiedWorld
let proof: FeedProof
let trust: FeedProofTrust

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1, eras: 3 })
  proof = await proofOf(world)
  trust = trustIn(world)
})

afterAll(() => world[Symbol.asyncDispose]())

/** The link that broke in a changed copy of the proof. */
const linkOf = async (changes: unknown, by: Partial<FeedProofTrust> = {}): Promise<string | null> =>
  brokenLink(await verifyFeedProof(changes, { ...trust, ...by }))

const hashAt = (index: number): string => proof.switch_blocks[index]?.hash ?? ''

describe('a proof as it was served', () => {
  test('default: the reading, and each link from the trusted block on', async () => {
    const { reading, links } = await verifyFeedProof(proof, trust)
    const [feedPackage, feedContract, feedItem, valuePackage, valueContract, valueItem, countItem] =
      proof.items.map(({ key }) => key)
    const signed = expect.stringMatching(/^signed by \d+ of \d+ motes$/)
    const followed = expect.stringMatching(/^[0-9a-f]{64}, signed by \d+ of \d+ motes$/)
    const { state_root_hash: stateRootHash } = proof.block.header as { state_root_hash: string }
    expect(reading).toEqual({
      feed_id: WTI,
      ...wtiFeed,
      value: 59.91,
      amount: 59_910_000n,
      period: PERIOD,
      source_hash: SOURCE_HASH,
      updated_at: proof.reading.updated_at,
    })
    expect(links.map(({ link, detail }) => [link, detail])).toEqual([
      ['registries', 'casper-devnet'],
      ['trusted block', `${trust.trustedBlockHash}, which ends era 0`],
      ['switch block of era 1', followed],
      ['switch block of era 2', followed],
      ['switch block of era 3', followed],
      ['block', `${proof.block.hash}, state root ${stateRootHash}`],
      [expect.stringMatching(/^finality signatures of block \d+$/), signed],
      ['age', expect.stringMatching(/^\d+ ms$/)],
      ['FeedRegistry package', String(feedPackage)],
      ['FeedRegistry version', String(feedContract)],
      ['FeedRegistry contract', String(feedContract)],
      [`FeedRegistry feeds[${WTI}]`, String(feedItem)],
      ['AttestationRegistry package', String(valuePackage)],
      ['AttestationRegistry version', String(valueContract)],
      ['AttestationRegistry contract', String(valueContract)],
      [`AttestationRegistry latest[${WTI}]`, String(valueItem)],
      [`AttestationRegistry count[${WTI}]`, String(countItem)],
      ['reading', `${WTI} = 59.91 $/bbl, period ${PERIOD}, number 1 of 1`],
    ])
    expect(links.every(({ holds }) => holds)).toBeTrue()
  })

  test('behavior: a proof of format 1 has no number of values', async () => {
    const { format, count, ...first } = { ...proof, items: proof.items.slice(0, 6) }
    expect([format, count]).toEqual([2, 1])
    const check = await verifyFeedProof(first, trust)
    expect(check.reading?.amount).toBe(59_910_000n)
    expect(check).not.toHaveProperty('count')
    expect((await verifyFeedProof(proof, trust)).count).toBe(1)
    // The item of the number of values belongs to format 2.
    expect(await linkOf({ ...first, items: proof.items })).toBe('reading')
  })

  test('error: an unknown format', async () => {
    for (const format of [1, 3, '2', null])
      await expect(verifyFeedProof({ ...proof, format }, trust)).rejects.toThrow('unknown "format"')
  })

  test('behavior: any of its switch blocks may be trusted; earlier ones are ignored', async () => {
    for (const index of [0, 1, 2, 3]) {
      expect(await linkOf(proof, { trustedBlockHash: hashAt(index) })).toBeNull()
      const rest = { ...proof, switch_blocks: proof.switch_blocks.slice(index) }
      expect(await linkOf(rest, { trustedBlockHash: hashAt(index) })).toBeNull()
    }
  })

  test('behavior: without `from`, the last switch block must be trusted', async () => {
    const short = await proofOf(world, WTI, null)
    expect(short.switch_blocks.map(({ hash }) => hash)).toEqual([hashAt(3)])
    expect(await linkOf(short, { trustedBlockHash: hashAt(3) })).toBeNull()
    expect(await linkOf(short)).toBe('trusted block')
  })

  test('behavior: hashes may be in upper case, and package hashes have their prefix', async () => {
    const written = {
      trustedBlockHash: trust.trustedBlockHash.toUpperCase(),
      feedRegistryPackageHash: `hash-${trust.feedRegistryPackageHash.toUpperCase()}`,
      attestationRegistryPackageHash: `hash-${trust.attestationRegistryPackageHash}`,
    }
    expect(await linkOf(proof, written)).toBeNull()
  })

  test('behavior: unproven fields of the node’s JSON are ignored', async () => {
    const path = ['items', 2, 'stored_value', 'CLValue', 'parsed']
    expect(await linkOf(withValue(proof, path, [1, 2, 3]))).toBeNull()
  })

  test('behavior: it may be as old as it is allowed to be, on a clock that is given', async () => {
    const madeAt = Date.parse(String(valueAt(proof, ['block', 'header', 'timestamp'])))
    expect(await linkOf(proof, { maxAgeMs: 1_000, now: () => madeAt + 1_000 })).toBeNull()
    expect(await linkOf(proof, { maxAgeMs: 1_000, now: () => madeAt + 1_001 })).toBe('age')
    expect(await linkOf(proof, { maxAgeMs: Number.NaN, now: () => madeAt })).toBe('age')
  })

  test('behavior: with a maximum age, it may be at most a minute ahead of the clock', async () => {
    const madeAt = Date.parse(String(valueAt(proof, ['block', 'header', 'timestamp'])))
    expect(await linkOf(proof, { maxAgeMs: 1_000, now: () => madeAt - 60_000 })).toBeNull()
    expect(await linkOf(proof, { maxAgeMs: 1_000, now: () => madeAt - 60_001 })).toBe('age')
    expect(await linkOf(proof, { now: () => 0 })).toBeNull()
  })

  test('error: trust that is no trust', async () => {
    for (const [name, wrong] of [
      ['trustedBlockHash', 'genesis'],
      ['feedRegistryPackageHash', ''],
      ['attestationRegistryPackageHash', 'hash-'],
    ] as const)
      await expect(verifyFeedProof(proof, { ...trust, [name]: wrong })).rejects.toThrow(InvalidArgumentError)
  })
})

describe('a proof of another value', () => {
  const otherHash = 'ab'.repeat(32)
  const others: [string, Partial<FeedProofTrust>, string][] = [
    ['another trusted block', { trustedBlockHash: otherHash }, 'trusted block'],
    ['another chain', { chainName: 'casper' }, 'registries'],
    ['another FeedRegistry', { feedRegistryPackageHash: otherHash }, 'registries'],
    ['another AttestationRegistry', { attestationRegistryPackageHash: otherHash }, 'registries'],
  ]
  test.each(others)('error: %s', async (_, by, link) => {
    expect(await linkOf(proof, by)).toBe(link)
  })

  test('error: other registries, which the proof names too', async () => {
    const { feed_registry_package_hash, attestation_registry_package_hash } = proof.registries
    const swapped = {
      ...proof,
      registries: {
        ...proof.registries,
        feed_registry_package_hash: attestation_registry_package_hash,
        attestation_registry_package_hash: feed_registry_package_hash,
      },
    }
    const by = {
      feedRegistryPackageHash: attestation_registry_package_hash,
      attestationRegistryPackageHash: feed_registry_package_hash,
    }
    expect(await linkOf(swapped, by)).toBe('FeedRegistry package')
  })

  test('error: another chain’s name, which the proof names too: its signatures are not of it', async () => {
    const renamed = withValue(proof, ['registries', 'chain_name'], 'casper')
    expect(await linkOf(renamed, { chainName: 'casper' })).toBe('switch block of era 1')
    const chainName = 'casper'
    const last = { chainName, trustedBlockHash: hashAt(3) }
    expect(await linkOf(renamed, last)).toMatch(/^finality signatures of block/)
  })

  test('error: the items of another feed, with and without its reading', async () => {
    const brent = await proofOf(world, BRENT)
    expect(await linkOf({ ...proof, items: brent.items })).toBe(`FeedRegistry feeds[${WTI}]`)
    expect(await linkOf({ ...proof, reading: brent.reading })).toBe(`FeedRegistry feeds[${BRENT}]`)
    for (const index of [2, 5]) {
      const mixed = withValue(proof, ['items', index], brent.items[index])
      expect(await linkOf(mixed)).toMatch(/(feeds|latest)\[EIA.PET.PRICE.WTI.DAILY]$/)
      const hidden = withValue(mixed, ['items', index, 'key'], proof.items[index]?.key)
      expect(await linkOf(hidden)).toMatch(/(feeds|latest)\[EIA.PET.PRICE.WTI.DAILY]$/)
    }
  })

  test('error: the same value as another feed’s', async () => {
    const { reading } = await proofOf(world, BRENT)
    expect(await linkOf({ ...proof, reading: { ...reading, feed_id: WTI } })).toBe('reading')
  })
})

describe('a proof of an earlier value', () => {
  test('error: old items with a new block, and new items with an old one', async () => {
    await using chain = await createVerifiedWorld({ nodes: 1 })
    const by = trustIn(chain)
    const old = await proofOf(chain)
    await chain.world.attest(chain.world.owner, WTI, 1n)
    const now = await proofOf(chain)
    const links = async (mixed: FeedProof) => brokenLink(await verifyFeedProof(mixed, by))
    expect([await links(old), await links(now)]).toEqual([null, null])
    expect(await links({ ...now, items: old.items, reading: old.reading })).toBe('FeedRegistry package')
    expect(await links({ ...now, block: old.block })).toBe('FeedRegistry package')
    expect(await links({ ...old, reading: now.reading })).toBe('reading')
    const stale = withValue(now, ['items', 5], old.items[5])
    expect(await links(stale)).toBe(`AttestationRegistry latest[${WTI}]`)
  })
})

describe('switch blocks', () => {
  const withBlocks = (...order: number[]): FeedProof => ({
    ...proof,
    switch_blocks: order.flatMap((index) => proof.switch_blocks[index] ?? []),
  })

  test('error: one left out', async () => {
    expect(await linkOf(withBlocks(0, 2, 3))).toBe('switch block of era 1')
    expect(await linkOf(withBlocks(0, 1, 3))).toBe('switch block of era 2')
    expect(await linkOf(withBlocks(0, 1, 2))).toMatch(/^finality signatures of block/)
    expect(await linkOf(withBlocks(1, 2, 3))).toBe('trusted block')
    expect(await linkOf(withBlocks())).toBe('trusted block')
  })

  test('error: one twice', async () => {
    expect(await linkOf(withBlocks(0, 0, 1, 2, 3))).toBe('switch block of era 1')
    expect(await linkOf(withBlocks(0, 1, 1, 2, 3))).toBe('switch block of era 2')
    expect(await linkOf(withBlocks(0, 1, 2, 3, 3))).toBe('switch block of era 4')
  })

  test('error: in another order', async () => {
    expect(await linkOf(withBlocks(0, 2, 1, 3))).toBe('switch block of era 1')
    expect(await linkOf(withBlocks(3, 2, 1, 0))).toMatch(/^finality signatures of block/)
    expect(await linkOf(withBlocks(1, 0, 2, 3))).toBe('switch block of era 1')
  })

  test('error: a block that is invalid', async () => {
    const plain = { ...proof, switch_blocks: [proof.block] }
    expect(await linkOf(plain, { trustedBlockHash: proof.block.hash })).toBe('trusted block')
    expect(await linkOf({ ...proof, switch_blocks: [proof.switch_blocks[0], proof.block] })).toBe(
      'switch block of era 1',
    )
  })

  test('error: the trusted hash over another block', async () => {
    const disguised = withValue(proof, ['switch_blocks', 1, 'hash'], trust.trustedBlockHash)
    expect(await linkOf({ ...disguised, switch_blocks: disguised.switch_blocks.slice(1) })).toBe(
      'trusted block',
    )
  })
})

describe('signatures', () => {
  /** 3 : 4 : 5 of 12, the weights of the chain's validators. */
  const weightOf = (index: number): number => {
    const { next_era_validator_weights: weights } = valueAt(proof, [
      'switch_blocks',
      0,
      'header',
      'era_end',
    ]) as { next_era_validator_weights: { validator: string; weight: string }[] }
    const { public_key } = valueAt(proof, ['block', 'proofs', index]) as { public_key: string }
    const { weight = '0' } = weights.find(({ validator }) => validator === public_key) ?? {}
    return Number(BigInt(weight) / 100_000_000_000_000n)
  }
  const sets = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], []]

  test.each([
    ['the block', ['block'], /^finality signatures of block/],
    ['a switch block', ['switch_blocks', 2], /^switch block of era 2$/],
  ] as [string, Path, RegExp][])(
    'default: those of %s count exactly when they weigh more than two thirds',
    async (_, path, link) => {
      const outcomes = new Set<string>()
      for (const bad of sets) {
        const weight = [0, 1, 2]
          .filter((index) => !bad.includes(index))
          .reduce((sum, at) => sum + weightOf(at), 0)
        const isFinal = weight * 3 > 12 * 2
        const flipped = bad.reduce((copy, index) => {
          const place = [...path, 'proofs', index, 'signature']
          return withValue(copy, place, flipLast(String(valueAt(copy, place))))
        }, proof)
        const left = bad
          .toReversed()
          .reduce((copy, index) => without(copy, [...path, 'proofs', index]), proof)
        for (const copy of [flipped, left]) {
          const broken = await linkOf(copy)
          if (isFinal) expect(broken).toBeNull()
          else expect(broken).toMatch(link)
        }
        outcomes.add(`${weight} ${isFinal}`)
      }
      // Two thirds of 12 are not more than two thirds.
      expect(outcomes).toContain('8 false')
      expect(outcomes).toContain('9 true')
    },
  )

  test('error: a signature of another block, of another validator, or one repeated', async () => {
    const [first, second] = [0, 1].map((index) => valueAt(proof, ['block', 'proofs', index])) as [
      { public_key: string; signature: string },
      { public_key: string; signature: string },
    ]
    const before = proof.switch_blocks[3]?.proofs
    const stranger = { public_key: `01${'ab'.repeat(32)}`, signature: first.signature }
    for (const proofs of [
      before,
      [first, first, first],
      [first, first, stranger],
      [
        { ...first, signature: second.signature },
        { ...second, signature: first.signature },
      ],
    ])
      expect(await linkOf(withValue(proof, ['block', 'proofs'], proofs))).toMatch(/^finality signatures/)
  })

  test('behavior: those of the trusted block do not count: its hash is trusted', async () => {
    expect(await linkOf(withValue(proof, ['switch_blocks', 0, 'proofs'], []))).toBeNull()
  })
})

describe('items', () => {
  test('error: any two of them swapped, as a whole or in part', async () => {
    for (let one = 0; one < proof.items.length; one++)
      for (let other = one + 1; other < proof.items.length; other++)
        for (const part of [null, 'key', 'merkle_proof', 'stored_value'] as const) {
          const tail = part === null ? [] : [part]
          const [here, there] = [
            ['items', one, ...tail],
            ['items', other, ...tail],
          ]
          const swapped = withValue(
            withValue(proof, here, valueAt(proof, there)),
            there,
            valueAt(proof, here),
          )
          expect(await linkOf(swapped)).toMatch(/^(Feed|Attestation)Registry (package|contract|feeds|latest)/)
        }
  })

  test('error: one left out, one twice, one too many', async () => {
    for (let index = 0; index < proof.items.length; index++) {
      expect(await linkOf(without(proof, ['items', index]))).toMatch(
        /Registry (package|contract|feeds|latest|count)/,
      )
      const twice = {
        ...proof,
        items: proof.items.toSpliced(index, 0, ...proof.items.slice(index, index + 1)),
      }
      expect(await linkOf(twice)).not.toBeNull()
    }
    expect(await linkOf({ ...proof, items: [...proof.items, proof.items[0]] })).toBe('reading')
  })

  test('error: a value beside its proof that is another one', async () => {
    const path = ['items', 5, 'stored_value', 'CLValue', 'bytes']
    const { links } = await verifyFeedProof(withValue(proof, path, '00'), trust)
    expect(links.at(-1)).toEqual({
      link: `AttestationRegistry latest[${WTI}]`,
      holds: false,
      detail: 'the served value differs from the proven value',
    })
  })
})

describe('a proof of a past value', () => {
  let past: FeedProof

  beforeAll(async () => {
    if ((await world.world.attest(world.world.owner, WTI, 60_000_000n)) !== null) throw new Error('refused')
    past = await proofOf(world, WTI, world.genesisHash, 0)
  })

  test('default: that value with its index; the newest has none', async () => {
    const { reading, index, links } = await verifyFeedProof(past, trust)
    expect([reading?.amount, reading?.updated_at, index]).toEqual([59_910_000n, proof.reading.updated_at, 0])
    expect(links.map(({ link }) => link)).toContain(`AttestationRegistry history[${WTI}#0]`)
    const second = await verifyFeedProof(await proofOf(world, WTI, world.genesisHash, 1), trust)
    expect([second.reading?.amount, second.index]).toEqual([60_000_000n, 1])
    expect(await verifyFeedProof(proof, trust)).not.toHaveProperty('index')
  })

  test('behavior: there is none of an index that has no value', async () => {
    expect(await world.client([0]).getFeedProof(WTI, { index: 2 })).toBeNull()
    await expect(world.client([0]).getFeedProof(WTI, { index: -1 })).rejects.toThrow(InvalidArgumentError)
  })

  test('error: passed off as that of another place, of another feed, or as the newest', async () => {
    const item = /^AttestationRegistry (history|latest)/
    expect(await linkOf({ ...past, index: 1 })).toMatch(item)
    expect(await linkOf(without(past, ['index']))).toMatch(item)
    expect(await linkOf({ ...proof, index: 0 })).toMatch(item)
    expect(await linkOf(withValue(past, ['reading', 'feed_id'], BRENT))).toBe(`FeedRegistry feeds[${BRENT}]`)
  })

  test('error: of another value than the one that was requested', async () => {
    for (const [served, asked, link] of [
      [past, { feedId: WTI, index: 0 }, null],
      [past, { feedId: WTI }, null],
      [past, { index: 1 }, 'what was asked for'],
      [past, { index: null }, 'what was asked for'],
      [past, { feedId: BRENT }, 'what was asked for'],
      [proof, { feedId: WTI, index: null }, null],
      [proof, { index: 0 }, 'what was asked for'],
    ] as const)
      expect([asked, await linkOf(served, asked)]).toEqual([asked, link])
    const { links } = await verifyFeedProof(past, { ...trust, index: 1 })
    expect(links.at(-1)?.detail).toBe(`it is of ${WTI}, its value at index 0`)
  })

  test.each([-1, 0.5, '0', null, 2 ** 53])('error: the index %p', async (index) => {
    await expect(verifyFeedProof({ ...past, index }, trust)).rejects.toThrow(
      '"index" must be a non-negative integer',
    )
  })
})

describe('JSON that is not a proof', () => {
  const shapes: [string, unknown][] = [
    ['null', null],
    ['a list', []],
    ['a text', 'proof'],
    ['nothing', undefined],
    ['an error of the server', { error: 'feed not found on-chain: X' }],
  ]
  test.each(shapes)('error: %s', async (_, json) => {
    await expect(verifyFeedProof(json, trust)).rejects.toThrow(DecodeError)
  })

  test('error: any part of it left out', async () => {
    for (const name of Object.keys(proof).filter((name) => name !== 'format'))
      await expect(verifyFeedProof(without(proof, [name]), trust)).rejects.toThrow(DecodeError)
    // Without it, the proof has the form of format 1, with an item too many.
    expect(await linkOf(without(proof, ['format']))).toBe('reading')
  })

  test('error: a feed id with a lone surrogate, which would mean another feed', async () => {
    await expect(
      verifyFeedProof(withValue(proof, ['reading', 'feed_id'], `${WTI}\ud800`), trust),
    ).rejects.toThrow('"reading" must have a valid "feed_id"')
  })
})
