import { describe, expect, test } from 'bun:test'
import { clAddress } from '@wattfeed/casper/types'
import { createBootOnce } from '@wattfeed/testing/bootOnce'
import { type Installable, installContract } from 'wattfeed/testing/installContract'
import { openGate } from 'wattfeed/testing/installRegistries'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import { readPackage, upgradeContract } from 'wattfeed/testing/upgradeContract'
import { type Booted, BRENT, UNAUTHORIZED, type World, WTI, worldOn, wtiFeed } from 'wattfeed/testing/world'
import {
  installArguments,
  packageKeyName,
  wiringArguments,
} from '../../../packages/wattfeed/src/registry/installation.ts'
import type { RegistryName } from '../../../packages/wattfeed/src/registry/layout.ts'
import { readStub } from './readStub.ts'

/** A registry from before claims existed. */
async function legacyRegistry(name: RegistryName, account: string): Promise<Installable> {
  return {
    wasm: await readStub(`Legacy${name}`),
    args: installArguments(name, account),
    keyName: packageKeyName(name),
  }
}

/** The first party's registries from before claims existed, with one feed that has one value. */
async function createLegacyWorld(): Promise<World> {
  const { chain, packages } = await bootOnce('', bootLegacy)
  return worldOn(chain.fork(), packages)
}

const bootOnce = createBootOnce<Booted>()

async function bootLegacy(): Promise<Booted> {
  const chain = await createRulesChain()
  const { owner, sender } = chain
  const install = (contract: Installable): Promise<string> =>
    installContract(sender, { signer: owner, account: owner.accountHash }, contract)
  const world = worldOn(chain, {
    FeedRegistry: await install(await legacyRegistry('FeedRegistry', owner.accountHash)),
    AttestationRegistry: await install(await legacyRegistry('AttestationRegistry', owner.accountHash)),
    Gate: await install(openGate()),
  })
  const { FeedRegistry, AttestationRegistry } = world.packages
  const wiring = wiringArguments('AttestationRegistry', FeedRegistry)
  expect(await world.call(owner, AttestationRegistry, 'set_feed_registry', wiring)).toBeNull()
  expect(await world.register(owner, WTI)).toBeNull()
  expect(await world.attest(owner, WTI, 58_000_000n)).toBeNull()
  return { chain, packages: world.packages }
}

const upgrade = (world: World, name: RegistryName): Promise<string | null> =>
  upgradeContract(world, world.owner, {
    name,
    packageHash: world.packages[name],
    args: name === 'FeedRegistry' ? { eligibility_gate: clAddress(`hash-${world.packages.Gate}`) } : {},
  })

/** Both upgraded, with an open gate. */
async function createUpgradedWorld(): Promise<World> {
  const world = await createLegacyWorld()
  expect(await upgrade(world, 'FeedRegistry')).toBeNull()
  expect(await upgrade(world, 'AttestationRegistry')).toBeNull()
  return world
}

describe('a feed without a claim', () => {
  test('default: it is unchanged and belongs to the owner', async () => {
    await using world = await createLegacyWorld()
    const { owner } = world
    const before = await world.read()
    expect(before.feeds).toEqual([
      {
        feedId: WTI,
        feed: wtiFeed,
        claimant: owner.accountHash,
        latest: expect.objectContaining({ amount: 58_000_000n }),
        history: [expect.objectContaining({ amount: 58_000_000n })],
      },
    ])
    expect(await upgrade(world, 'FeedRegistry')).toBeNull()
    expect(await upgrade(world, 'AttestationRegistry')).toBeNull()
    expect(await world.read()).toEqual(before)
    for (const name of ['FeedRegistry', 'AttestationRegistry'] as const)
      expect(
        (await readPackage(world, world.packages[name])).versions.map(({ isEnabled }) => isEnabled),
      ).toEqual([false, true])
  })

  test('error: other accounts cannot attest to it or replace its metadata', async () => {
    await using world = await createUpgradedWorld()
    const before = await world.read()
    for (const stranger of [world.alice, world.bob]) {
      expect(await world.register(stranger, WTI)).toBe(UNAUTHORIZED)
      expect(await world.attest(stranger, WTI, 1n)).toBe(UNAUTHORIZED)
      expect(await world.attestMany(stranger, [[WTI, 1n]])).toBe(UNAUTHORIZED)
    }
    expect(await world.read()).toEqual(before)
  })

  test('behavior: the owner attests to it and replaces its metadata, eligible or not', async () => {
    await using world = await createUpgradedWorld()
    const { owner } = world
    expect(await world.close(owner)).toBeNull()
    expect(await world.attest(owner, WTI, 59_910_000n)).toBeNull()
    expect(await world.attestMany(owner, [[WTI, 60_000_000n]])).toBeNull()
    expect(await world.register(owner, WTI, { unit: 'USD/bbl' })).toBeNull()
    const { feedCount, total, feeds, events } = await world.read()
    expect([feedCount, total, feeds[0]?.feed?.unit, feeds[0]?.claimant]).toEqual([
      1,
      3,
      'USD/bbl',
      owner.accountHash,
    ])
    expect(feeds[0]?.history.map(({ amount }) => amount)).toEqual([58_000_000n, 59_910_000n, 60_000_000n])
    expect([events.FeedRegistry.length, events.AttestationRegistry.length]).toEqual([2, 3])
  })

  test('behavior: new feeds are claimed after it', async () => {
    await using world = await createUpgradedWorld()
    const { alice, bob, owner } = world
    expect(await world.register(alice, BRENT)).toBeNull()
    expect(await world.attest(alice, BRENT, 1n)).toBeNull()
    for (const stranger of [owner, bob]) expect(await world.attest(stranger, BRENT, 2n)).toBe(UNAUTHORIZED)
    const { feeds } = await world.read()
    expect(feeds.map(({ feedId, claimant }) => [feedId, claimant])).toEqual([
      [WTI, owner.accountHash],
      [BRENT, alice.accountHash],
    ])
  })

  test('error: an AttestationRegistry is not upgraded before its FeedRegistry', async () => {
    await using world = await createLegacyWorld()
    expect(await upgrade(world, 'AttestationRegistry')).toBe('No such method: state_seed')
    expect((await readPackage(world, world.packages.AttestationRegistry)).versions).toHaveLength(1)
    expect(await world.attest(world.owner, WTI, 1n)).toBeNull()
  })
})
