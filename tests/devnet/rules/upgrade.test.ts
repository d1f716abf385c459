import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContractCallBuilder } from 'casper-js-sdk'
import { packageKeyName } from '../../../src/agent/contracts/contractName.ts'
import { installArguments } from '../../../src/agent/contracts/wasmArguments.ts'
import { wiringArguments } from '../../../src/agent/contracts/wiring.ts'
import { wiringCalls } from '../../../src/agent/contracts/wiringCalls.ts'
import { clAddress } from '../../../src/agent/transaction/clValue.ts'
import { loadSdk } from '../../../src/agent/transaction/sdk.ts'
import type { RegistryName } from '../../../src/registry/layout.ts'
import { type Installable, installContract } from '../registries/installContract.ts'
import { openGate } from '../registries/installRegistries.ts'
import { getExecution, putTransaction } from '../registries/sender.ts'
import { createRulesChain } from './rulesChain.ts'
import { readPackage, upgradeContract } from './upgradeContract.ts'
import { BRENT, createWorld, UNAUTHORIZED, type World, WTI, worldOn, wtiFeed } from './world.ts'

const registries = ['FeedRegistry', 'AttestationRegistry'] as const

/** Both registries upgraded by their owner, in the order that they need. */
async function upgradeBoth(world: World): Promise<void> {
  const gate = { eligibility_gate: clAddress(`hash-${world.packages.Gate}`) }
  for (const [name, args] of [
    ['FeedRegistry', gate],
    ['AttestationRegistry', {}],
  ] as const)
    expect(
      await upgradeContract(world, world.owner, { name, packageHash: world.packages[name], args }),
    ).toBeNull()
}

describe('an upgrade', () => {
  test('default: everything stays, and the contracts go on from there', async () => {
    await using world = await createWorld()
    const { alice, bob, owner } = world
    expect(await world.register(alice, WTI)).toBeNull()
    expect(await world.register(bob, BRENT)).toBeNull()
    expect(await world.attestMany(alice, [[WTI, 1n], [WTI, 2n]])).toBeNull()
    const before = await world.read()
    await upgradeBoth(world)
    expect(await world.read()).toEqual(before)
    expect(await world.attest(owner, WTI, 3n)).toBe(UNAUTHORIZED)
    expect(await world.attest(alice, WTI, 3n)).toBeNull()
    expect(await world.register(bob, BRENT, { unit: 'USD' })).toBeNull()
    const { total, feedCount, feeds } = await world.read()
    expect([total, feedCount, feeds[0]?.history.length]).toEqual([3, 2, 3])
  })

  test('behavior: only the newest version can be called', async () => {
    await using world = await createWorld()
    const calls = { FeedRegistry: 'feed_count', AttestationRegistry: 'total_attestations' }
    for (const name of registries) {
      const { versions } = await readPackage(world, world.packages[name])
      ...
    }
  })
})
