import { describe, expect, test } from 'bun:test'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createClient } from 'wattfeed'
import {
  createDevnet,
  type Devnet,
  type InstalledRegistries,
  installRegistries,
  startDevnet,
} from '../../src/devnet/index.ts'
import { readStatus } from '../../src/operator/contracts/status.ts'

const FEED = 'MY.FEED'

/** The library's reading of a feed. */
async function read(devnet: Devnet, registries: InstalledRegistries) {
  await using endpoint = await startDevnet(devnet)
  const options = { rpcUrls: [endpoint.url], chainName: devnet.chainName, ...registries }
  return await createClient(options).getReading(FEED)
}

describe('installRegistries', () => {
  test('default: any account registers a feed and attests a value', async () => {
    await using devnet = createDevnet({ now: () => 1_795_168_726_000 })
    const registries = await installRegistries(devnet)
    await registries.registerFeed(FEED, { decimals: 2, unit: '$/bbl', description: 'x'.repeat(700) })
    await registries.attest(FEED, { amount: 7004n, period: 20261120, sourceHash: 'ab'.repeat(16) })
    expect(await read(devnet, registries)).toMatchObject({
      feed_id: FEED,
      unit: '$/bbl',
      title: '',
      value: 70.04,
      amount: 7004n,
      period: 20261120,
      source_hash: 'ab'.repeat(16),
    })
  })

  test('behavior: the seed is that of the AttestationRegistry', async () => {
    await using devnet = createDevnet()
    const { attestationRegistryPackageHash, attestationRegistrySeed } = await installRegistries(devnet)
    const { call, chainName } = devnet
    const hashes = { FeedRegistry: null, EligibilityGate: null }
    const status = await readStatus(rpcOf(call, { chainName }), {
      ...hashes,
      AttestationRegistry: attestationRegistryPackageHash,
    })
    expect(status.contracts.map(({ state_seed }) => state_seed)).toEqual([attestationRegistrySeed])
  })

  test('behavior: the metadata is replaced, the value revised', async () => {
    await using devnet = createDevnet()
    const registries = await installRegistries(devnet)
    await registries.registerFeed(FEED)
    await registries.attest(FEED, { amount: 1n, period: 2026 })
    await registries.registerFeed(FEED, { decimals: 1 })
    await registries.attest(FEED, { amount: 5n, period: 2026 })
    expect(await read(devnet, registries)).toMatchObject({ value: 0.5, decimals: 1 })
  })

  test('behavior: equal values are separate transactions, even with a stopped clock', async () => {
    await using devnet = createDevnet({ now: () => 1_795_168_726_000 })
    const { registerFeed, attest, ...registries } = await installRegistries(devnet)
    await registerFeed(FEED)
    for (const amount of [1n, 2n, 1n]) await attest(FEED, { amount, period: 2026 })
    await Promise.all([3n, 3n].map((amount) => attest(FEED, { amount, period: 2026 })))
    await using endpoint = await startDevnet(devnet)
    const options = { rpcUrls: [endpoint.url], chainName: devnet.chainName, ...registries }
    const history = await createClient(options).getValueHistory(FEED)
    expect(history.map(({ amount }) => amount)).toEqual([1n, 2n, 1n, 3n, 3n])
  })

  test('behavior: the chain’s block time does not matter', async () => {
    await using devnet = createDevnet({ blockTimeMs: 3_600_000 })
    const registries = await installRegistries(devnet)
    await registries.registerFeed(FEED)
    await registries.attest(FEED, { amount: 1n, period: 2026 })
    expect(await read(devnet, registries)).toMatchObject({ value: 1 })
  })

  test('behavior: another account installs its own registries', async () => {
    await using devnet = createDevnet()
    const [, other] = devnet.accounts
    const [one, two] = [await installRegistries(devnet), await installRegistries(devnet, other)]
    expect(one.feedRegistryPackageHash).not.toBe(two.feedRegistryPackageHash)
  })

  test('error: a second installation by the same account', async () => {
    await using devnet = createDevnet()
    await installRegistries(devnet)
    expect(await errorOf(installRegistries(devnet))).toMatchObject({
      code: 'devnet_transaction',
      what: 'install',
      reason: expect.stringMatching(/^User error: /),
    })
  })

  test('error: a value of a feed that is not registered', async () => {
    await using devnet = createDevnet()
    const { attest } = await installRegistries(devnet)
    expect(await errorOf(attest('NOPE', { amount: 1n, period: 1 }))).toMatchObject({
      what: 'attest',
      reason: 'User error: 1',
    })
  })

  test('error: a rejected transaction has the node’s message', async () => {
    await using devnet = createDevnet()
    const [account] = createDevnet({ seed: 'another chain' }).accounts
    expect((await errorOf(installRegistries(devnet, account))).message).toStartWith(
      'transaction install failed: Invalid transaction',
    )
  })

  test('error: a chain without accounts', async () => {
    await using devnet = createDevnet({ accounts: 0 })
    await expect(installRegistries(devnet)).rejects.toBeInstanceOf(RangeError)
  })
})
