import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { KeyAlgorithm, PrivateKey } from 'casper-js-sdk'
import { createClient } from 'wattfeed'
import { createContractProof } from 'wattfeed/series'
import { createDevnet, type Devnet, installRegistries, startDevnet } from 'wattfeed-cli/devnet'
import { accountOf, balanceOf, deposit, install, refund, type Sender, settle, type Terms } from './hedge.ts'

const FEED_ID = 'EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY'
const MONTH = '2026-08'
const DEPOSIT = 10_000_000_000n
const STEP = 100_000_000n

const DATASET = { route: 'electricity/retail-sales', frequency: 'monthly' }
const facets = (stateid: string) => ({ sectorid: 'COM', stateid })

/** The bytes of a leaf: docs/verify-spec.md. */
const leafOf = (stateid: string, period: string, value: string): string =>
  JSON.stringify({
    column: 'price',
    source: {
      ...DATASET,
      facets: Object.entries(facets(stateid)),
      period,
      value,
      unit: 'cents per kilowatt-hour',
    },
  })

const hash = (prefix: number, ...parts: Uint8Array[]): Uint8Array =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(prefix), ...parts]))
    .digest()

/** States and their prices, in the order of a tree. AK's is withheld. */
const invented: [string, string][] = [
  ['AK', 'w'],
  ['CA', '17.41'],
]
const leaves = invented.map(([stateid, value]) => leafOf(stateid, MONTH, value))
const hashes = leaves.map((leaf) => hash(0, Buffer.from(leaf)))

/** An embedded chain with both registries and a root of the invented leaves, and two parties with a hedge on the price of a state. */
async function start(devnet: Devnet, rpcUrl: string, stateid: string) {
  const registries = await installRegistries(devnet)
  const description = 'eia-dataset:1;price;all;sectorid,stateid'
  await registries.registerFeed(FEED_ID, { ...DATASET, source: 'EIA', unit: 'values', description })
  const sourceHash = hash(1, ...hashes).toHex()
  await registries.attest(FEED_ID, { amount: BigInt(leaves.length), period: 202608, sourceHash })
  const [attester, ...others] = devnet.accounts
  const [long, short, stranger] = others.map(({ secretKeyPem }): Sender => {
    const key = PrivateKey.fromPem(secretKeyPem, KeyAlgorithm.ED25519)
    return { rpcUrl, chainName: devnet.chainName, key }
  })
  if (!attester || !long || !short || !stranger) throw new Error('the chain has ten accounts')
  const after = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const terms: Terms = {
    feed_registry: `hash-${registries.feedRegistryPackageHash}`,
    attestation_registry: `hash-${registries.attestationRegistryPackageHash}`,
    seed: registries.attestationRegistrySeed,
    attester: attester.accountHash,
    stateid,
    sectorid: 'COM',
    month: MONTH,
    long: accountOf(long),
    short: accountOf(short),
    strike: 1740,
    motes_per_step: String(STEP),
    deposit: String(DEPOSIT),
    deposit_until: after(20),
    settle_until: after(40),
  }
  const hedge = await install(stranger, terms)
  /** Makes the proof of a state's price, whose root a node has proven. */
  const prove = async (state: string) => {
    const index = invented.findIndex(([each]) => each === state)
    const client = createClient({
      rpcUrls: [rpcUrl],
      chainName: devnet.chainName,
      verify: 'full',
      trustedBlockHash: devnet.genesisHash,
      ...registries,
    })
    const proof = createContractProof({
      format: 1,
      series: { ...DATASET, column: 'price', facets: facets(state), period: MONTH },
      statement: 'value',
      leaves: [{ index, leaf: leaves[index], path: [hashes[1 - index]?.toHex()] }],
      root: await client.getFeedProof(FEED_ID, { from: devnet.genesisHash }),
    })
    return proof.arguments
  }
  /** What a call pays to both parties. */
  const paid = async (pay: () => Promise<void>) => {
    const before = [await balanceOf(long), await balanceOf(short)]
    await pay()
    return [(await balanceOf(long)) - (before[0] ?? 0n), (await balanceOf(short)) - (before[1] ?? 0n)]
  }
  return { terms, hedge, long, short, stranger, prove, paid }
}

test('both parties deposit, and a stranger settles by the proof of the price', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { terms, hedge, long, short, stranger, prove, paid } = await start(devnet, endpoint.url, 'CA')
  await expect(install(stranger, { ...terms, strike: 27.05 })).rejects.toThrow('strike 27.05: it counts hundredths')
  await expect(install(stranger, { ...terms, settle_until: '2026-01-01' })).rejects.toThrow('deadline 2026-01-01')
  await expect(deposit(stranger, hedge, String(DEPOSIT))).rejects.toThrow('User error: 2 (NotAParty)')
  await deposit(long, hedge, String(DEPOSIT))
  const proof = await prove('CA')
  await expect(settle(stranger, hedge, proof)).rejects.toThrow('User error: 6 (DepositMissing)')
  await deposit(short, hedge, String(DEPOSIT))
  await expect(settle(stranger, hedge, await prove('AK'))).rejects.toThrow('User error: 60106')
  expect(await paid(() => settle(stranger, hedge, proof))).toEqual([DEPOSIT + STEP, DEPOSIT - STEP])
  await expect(settle(stranger, hedge, proof)).rejects.toThrow('User error: 7 (AlreadyOver)')
})

test('the proof that EIA withholds the price returns the deposits', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { hedge, long, short, stranger, prove, paid } = await start(devnet, endpoint.url, 'AK')
  await deposit(long, hedge, String(DEPOSIT))
  await deposit(short, hedge, String(DEPOSIT))
  const proof = await prove('AK')
  expect(await paid(() => settle(stranger, hedge, proof))).toEqual([DEPOSIT, DEPOSIT])
})

test('a single deposit is returned after its deadline', async () => {
  let passedMs = 0
  await using devnet = createDevnet({ now: () => Date.now() + passedMs })
  await using endpoint = await startDevnet(devnet)
  const { hedge, short, stranger, paid } = await start(devnet, endpoint.url, 'CA')
  await deposit(short, hedge, String(DEPOSIT))
  await expect(refund(stranger, hedge)).rejects.toThrow('User error: 8 (TooEarly)')
  passedMs += 20 * 60_000
  expect(await paid(() => refund(stranger, hedge))).toEqual([0n, DEPOSIT])
})
