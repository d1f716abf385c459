import { expect, test } from 'bun:test'
import { upgradeContract } from '../support/upgradeContract.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { WTI } from '../support/world.ts'

/** Installs new versions of both registries, one after the other. */
async function upgrade({ world }: VerifiedWorld): Promise<void> {
  for (const name of ['FeedRegistry', 'AttestationRegistry'] as const)
    expect(await upgradeContract(world, world.owner, { name, packageHash: world.packages[name] })).toBeNull()
}

const amounts = ({ world }: VerifiedWorld, amount: bigint): Promise<string | null> =>
  world.attest(world.owner, WTI, amount)

test('default: reads continue while the registries are upgraded, and after', async () => {
  await using world = await createVerifiedWorld()
  const client = world.client([0, 1])
  const first = JSON.stringify((await client.listReadings()).map(({ value }) => value))
  let isOver = false
  const reading = (async () => {
    const wrong: unknown[] = []
    for (let reads = 0; !isOver || reads < 5; reads++) {
      const at = await client.snapshot()
      const seen = JSON.stringify((await at.listReadings()).map(({ value }) => value))
      const value = JSON.stringify((await at.getValue(WTI))?.amount.toString())
      if (seen !== first || value !== '"59910000"') wrong.push([seen, value])
    }
    return wrong
  })()
  await upgrade(world)
  isOver = true
  expect(await reading).toEqual([])
  await amounts(world, 8n)
  expect((await client.getReading(WTI))?.amount).toBe(8n)
  expect((await world.client([2]).getReading(WTI))?.amount).toBe(8n)
  expect(client.rejected()).toEqual([])
})

test('behavior: a node that still shows the package as it was before is passed over', async () => {
  await using world = await createVerifiedWorld()
  const { feedRegistryPackageHash: packageHash } = world.network
  await upgrade(world)
  world.nodes[0]?.faults.lie({ keys: [`hash-${packageHash}`] })
  const client = world.client([0, 1])
  expect((await client.getReading(WTI))?.amount).toBe(59_910_000n)
  expect(client.rejected()).toEqual(['node0 merkle_proof'])
})
