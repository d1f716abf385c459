import { createRandom } from '@wattfeed/testing/random'
import { createDevnet, installRegistries, startDevnet } from '../../src/devnet/index.ts'
import { wattfeed } from '../support/binary.ts'
import { startProgram } from '../support/program.ts'

/** The feed of docs/data.md. */
export const FEED = 'EIA.PET.PRICE.WTI.DAILY'

/** Another one, with a single value. */
export const OTHER_FEED = 'EIA.NG.PRICE.HENRYHUB.DAILY'

/** One of hours, with a single value. */
export const HOURLY_FEED = 'EIA.ELEC.DEMAND.PJM.HOURLY'

const DECIMALS = 6

/** A value as it was attested. */
export interface Attested {
  readonly period: number
  readonly amount: bigint
  readonly sourceHash: string
}

/** A server of an embedded chain. Its feed has days in any order, revisions, amounts above 64 bits. */
export interface DataServer extends AsyncDisposable {
  readonly url: string
  /** By which programs find the chain. */
  readonly chainSettings: Readonly<Record<string, string>>
  readonly attested: readonly Attested[]
  /** Attests one more value of the feed, and waits until the server has it. It is not in `attested`. */
  attest(): Promise<void>
}

export async function startDataServer(values: number): Promise<DataServer> {
  const devnet = createDevnet({ accounts: 1 })
  const registries = await installRegistries(devnet)
  for (const id of [FEED, OTHER_FEED])
    await registries.registerFeed(id, {
      decimals: DECIMALS,
      unit: '$/bbl',
      frequency: 'daily',
      source: 'EIA',
    })
  await registries.registerFeed(HOURLY_FEED, {
    decimals: 0,
    unit: 'MWh',
    frequency: 'hourly',
    source: 'EIA',
  })
  const random = createRandom(16)
  const pick = (count: number): number => Math.floor(random() * count)
  const attested: Attested[] = []
  for (let index = 0; index < values; index++) {
    const amount = index % 20 === 7 ? 10n ** 40n + BigInt(pick(1_000)) : BigInt(pick(3)) * 1_500_000n
    const sourceHash = new Bun.CryptoHasher('md5').update(`${index}`).digest('hex')
    const value = { period: 20_261_001 + pick(31), amount, sourceHash }
    await registries.attest(FEED, value)
    attested.push(value)
  }
  await registries.attest(OTHER_FEED, { period: 20_261_001, amount: 1n })
  await registries.attest(HOURLY_FEED, { period: 1_795_150_800, amount: 90_000n })
  const node = await startDevnet(devnet)
  const chainSettings = {
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: devnet.chainName,
    FEED_REGISTRY_PACKAGE_HASH: registries.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: registries.attestationRegistryPackageHash,
  }
  const server = await startProgram(wattfeed('serve'), { ...chainSettings, LOG_LEVEL: 'warn' })
  return {
    url: server.url,
    chainSettings,
    attested,
    attest: () => registries.attest(FEED, { period: 20_261_101, amount: 2n }),
    async [Symbol.asyncDispose]() {
      await server.kill('SIGTERM')
      await node.stop()
      await devnet.stop()
    },
  }
}
