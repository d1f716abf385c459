import { describe, expect, test } from 'bun:test'
import { verifyLevels } from '../../src/client/verification.ts'
import { verifyFeedProof } from '../../src/client/verifyFeedProof.ts'
import { brokenLink, proofOf, trustIn } from '../support/provenFeed.ts'
import { createVerifiedWorld, type VerifiedWorld } from '../support/verifiedWorld.ts'
import { BRENT, WTI } from '../support/world.ts'

const createOldWorld = (nodes = 1): Promise<VerifiedWorld> =>
  createVerifiedWorld({ nodes, protocol: '2.0.3' })

/** Upgrades the network. Returns the first block of the new protocol. */
function upgrade({ world: { devnet } }: VerifiedWorld) {
  const eraId = devnet.upgrade()
  for (;;) {
    const block = devnet.produceBlock()
    if (block.eraId === eraId) return block
  }
}

const protocolOf = async (world: VerifiedWorld, height: number): Promise<unknown> =>
  Object((await world.blockAt(height)).block.Version2.header).protocol_version

describe('an upgrade of the network', () => {
  test.each(verifyLevels)('default: a client at %s reads on', async (verify) => {
    await using world = await createOldWorld()
    const client = world.client([0], { verify, maxStalenessMs: 0 })
    const amounts = async () => {
      const at = await client.snapshot()
      const readings = await at.listReadings()
      const history = await at.getValueHistory(WTI)
      return [
        readings.map(({ amount }) => amount),
        history.map(({ amount }) => amount),
        await at.getReading('X'),
      ]
    }
    const first = [[59_910_000n, 63_370_000n], [59_910_000n], null]
    expect(await amounts()).toEqual(first)
    const { height } = upgrade(world)
    expect([await protocolOf(world, height - 1), await protocolOf(world, height)]).toEqual(['2.0.0', '2.2.2'])
    expect(await amounts()).toEqual(first)
    expect(await world.world.attest(world.world.owner, WTI, 8n)).toBeNull()
    expect(await amounts()).toEqual([[8n, 63_370_000n], [59_910_000n, 8n], null])
    expect(await client.getTransaction(WTI, 0)).not.toBeNull()
    expect(await client.getTransaction(WTI, 1)).not.toBeNull()
    expect(client.rejected()).toEqual([])
  })

  test('behavior: every block of it is a head that is proven from a block before, and a block to trust', async () => {
    await using world = await createOldWorld()
    const { devnet } = world.world
    const eraId = devnet.upgrade()
    const trusted = [world.genesisHash]
    const read = (trustedBlockHash: string) => world.client([0], { trustedBlockHash }).getReading(WTI)
    for (let isOver = false; !isOver; ) {
      const { eraId: reached, hash, isSwitchBlock } = devnet.produceBlock()
      isOver = reached > eraId
      if (isSwitchBlock) trusted.push(hash)
      if (reached >= eraId) for (const each of trusted) expect((await read(each))?.amount).toBe(59_910_000n)
    }
    expect(trusted).toHaveLength(3)
    world.endEras(3)
    for (const each of trusted) expect((await read(each))?.amount).toBe(59_910_000n)
  })

  test('behavior: a proof from a block before it is accepted offline, with both switch blocks', async () => {
    await using world = await createOldWorld()
    const { height } = upgrade(world)
    world.endEras(1)
    await world.world.attest(world.world.owner, BRENT, 9n)
    const check = await verifyFeedProof(await proofOf(world, BRENT), trustIn(world))
    expect([check.reading?.amount, brokenLink(check)]).toEqual([9n, null])
    const shown = JSON.stringify(await proofOf(world, BRENT))
    for (const switchBlock of [height - 1, height])
      expect(shown).toContain((await world.blockAt(switchBlock)).block.Version2.hash)
  })

  test('error: a node that says that the old protocol went on is not believed', async () => {
    await using world = await createOldWorld()
    const { height } = upgrade(world)
    const url = await world.serve(async (method, params) => {
      const answer = await world.world.devnet.call(method, params)
      return JSON.parse(
        JSON.stringify(answer).replaceAll('"protocol_version":"2.2.2"', '"protocol_version":"2.0.0"'),
      )
    })
    expect(height).toBeGreaterThan(0)
    await expect(world.client([], { rpcUrls: [url] }).getReading(WTI)).rejects.toThrow(
      'its header does not hash to',
    )
  })
})
