import { describe, expect, test } from 'bun:test'
import { clAddress } from '@wattfeed/casper/types'
import { readPackage, upgradeContract } from 'wattfeed/testing/upgradeContract'
import { BRENT, createWorld, UNAUTHORIZED, type World, WTI } from 'wattfeed/testing/world'
import { callPinned } from './pinnedCall.ts'

const views = { FeedRegistry: 'feed_count', AttestationRegistry: 'total_attestations' } as const
const names = ['FeedRegistry', 'AttestationRegistry'] as const

const upgrade = (world: World, name: (typeof names)[number], signer = world.owner): Promise<string | null> =>
  upgradeContract(world, signer, { name, packageHash: world.packages[name] })

/** Two feeds of two accounts, with three values. */
async function createFilled(): Promise<World> {
  const world = await createWorld()
  const { alice, bob } = world
  expect(await world.register(alice, WTI)).toBeNull()
  expect(await world.register(bob, BRENT)).toBeNull()
  const many: [string, bigint][] = [
    [WTI, 1n],
    [WTI, 2n],
  ]
  expect(await world.attestMany(alice, many)).toBeNull()
  expect(await world.attest(bob, BRENT, 3n)).toBeNull()
  return world
}

describe('an upgrade', () => {
  test('default: the state is preserved, and the contracts continue with it', async () => {
    await using world = await createFilled()
    const { alice, bob, owner } = world
    const before = await world.read()
    for (const name of names) expect(await upgrade(world, name)).toBeNull()
    expect(await world.read()).toEqual(before)
    expect(await world.attest(owner, WTI, 4n)).toBe(UNAUTHORIZED)
    expect(await world.attest(alice, WTI, 4n)).toBeNull()
    expect(await world.register(bob, BRENT, { unit: 'USD' })).toBeNull()
    expect(await world.register(bob, 'new')).toBeNull()
    const { total, feedCount, feeds } = await world.read()
    expect([total, feedCount, feeds.map(({ history }) => history.length)]).toEqual([4, 3, [3, 1, 0]])
  })

  test.each(names)('behavior: the previous version is disabled and cannot be called: %s', async (name) => {
    await using world = await createFilled()
    const packageHash = world.packages[name]
    const [first] = (await readPackage(world, packageHash)).versions
    const contractHash = first?.contractHash ?? ''
    const view = views[name]
    const byHash = () => callPinned(world, (call) => call.byHash(contractHash), view)
    const byVersion = (version: number) =>
      callPinned(world, (call) => call.byPackageHash(packageHash, version), view)
    expect([await byHash(), await byVersion(1)]).toEqual([null, null])
    expect(await upgrade(world, name)).toBeNull()
    expect((await readPackage(world, packageHash)).versions).toEqual([
      { version: '2.1', contractHash, isEnabled: false },
      { version: '2.2', contractHash: expect.any(String), isEnabled: true },
    ])
    expect(await byHash()).toBe('Contract is disabled')
    await expect(byVersion(1)).rejects.toThrow('disabled entity at version')
    expect(await byVersion(2)).toBeNull()
  })

  test.each(names)('error: an upgrade by another account changes nothing: %s', async (name) => {
    await using world = await createFilled()
    const before = [await world.read(), await readPackage(world, world.packages[name])]
    expect(await upgrade(world, name, world.bob)).toStartWith('Forged reference')
    expect([await world.read(), await readPackage(world, world.packages[name])]).toEqual(before)
  })

  test('behavior: it can set a different gate', async () => {
    await using world = await createFilled()
    const args = { eligibility_gate: clAddress(`hash-${world.packages.FeedRegistry}`) } // no gate at all
    const packageHash = world.packages.FeedRegistry
    expect(await upgradeContract(world, world.owner, { name: 'FeedRegistry', packageHash, args })).toBeNull()
    expect(await world.register(world.alice, 'new')).toBe('No such method: is_eligible')
  })
})
