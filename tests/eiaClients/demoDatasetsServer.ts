import { join } from 'node:path'
import { DAY_MS } from '@wattfeed/base'
import { datasetFeedId, type Leaf, type Manifest } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { openTable } from '@wattfeed/dataset/table'
import { createEiaClient } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { createFolder } from '@wattfeed/testing/folder'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { takeSnapshot } from '../../src/agent/datasets/takeSnapshot.ts'
import { demoDatasets } from '../../src/demo/demoDatasets.ts'
import { startUpstream } from '../../src/demo/standIn/upstream.ts'
import {
  createDevnet,
  type InstalledRegistries,
  installRegistries,
  startDevnet,
} from '../../src/devnet/index.ts'
import { wattfeed } from '../support/binary.ts'
import { type Settings, startProgram } from '../support/program.ts'

/** Of some eras. */
const BLOCKS = 60

type DemoDataset = (typeof demoDatasets)[number]

/** A server of the demo's datasets, with two roots of each: the earlier one is a month older, and lacks the newest period. */
export interface DemoDatasetsServer extends AsyncDisposable {
  /** What clients have before `/v2`. */
  readonly base: string
  /** The same as of a day at which the earlier roots were the newest. */
  readonly earlierBase: string
  /** Hashes to trust, by the names that the demo gives them. */
  readonly trust: Settings
  /** All leaves of the newest snapshot of a route. */
  leavesOf(route: string): readonly Leaf[]
}

/** Takes the snapshots from the demo's stand-in for EIA, and attests their roots on an embedded chain. */
export async function startDemoDatasetsServer(): Promise<DemoDatasetsServer> {
  const folder = createFolder()
  let now = Date.now() - 30 * DAY_MS
  const devnet = createDevnet({ accounts: 1, now: () => now })
  const registries = await installRegistries(devnet)
  await using upstream = startUpstream([])
  const leaves = new Map<string, readonly Leaf[]>()
  const newest: Manifest[] = []
  for (const dataset of demoDatasets) {
    const out = join(folder.path, dataset.feed_id.toLowerCase())
    const { manifest } = await take(upstream.url, dataset, out)
    const all = await readAll(join(out, manifest.root))
    const earlier = all.filter(({ period }) => period !== manifest.newestPeriod)
    await registries.registerFeed(dataset.feed_id, datasetFeed(manifest))
    await attest(registries, (await writeSnapshot(out, earlier)).manifest)
    leaves.set(dataset.route, all)
    newest.push(manifest)
  }
  const earlierDay = new Date(now + DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)
  now = Date.now()
  for (const manifest of newest) await attest(registries, manifest)
  // A proof needs the blocks since the trusted one only if eras have ended.
  for (let block = 0; block < BLOCKS; block++) devnet.produceBlock()
  const node = await startDevnet(devnet)
  const chain = {
    CASPER_CHAIN_NAME: devnet.chainName,
    FEED_REGISTRY_PACKAGE_HASH: registries.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: registries.attestationRegistryPackageHash,
  }
  const settings = { CASPER_RPC_URL: node.url, DATASETS: folder.path, LOG_LEVEL: 'warn' }
  const server = await startProgram(wattfeed('serve'), { ...chain, ...settings })
  return {
    trust: { ...chain, GENESIS_HASH: devnet.genesisHash },
    base: `${server.url}/eia`,
    earlierBase: `${server.url}/eia/as-of/${earlierDay}`,
    leavesOf: (route) => leaves.get(route) ?? [],
    async [Symbol.asyncDispose]() {
      await server.kill('SIGTERM')
      await node.stop()
      await devnet.stop()
      folder[Symbol.dispose]()
    },
  }
}

const take = (baseUrl: string, { route, frequency, dataset }: DemoDataset, out: string) =>
  takeSnapshot({
    eia: createEiaClient({ baseUrl, apiKey: 'any', requestsPerSecond: 1_000 }),
    dataset: { route, frequency, columns: dataset.columns ?? [], periods: dataset.periods ?? null },
    facets: findDataset(route)?.facets ?? [],
    ...{ out, now: Date.now },
  })

async function readAll(folder: string): Promise<Leaf[]> {
  const table = await openTable(folderFiles(folder))
  if (table === null) throw new Error(`${folder} has no snapshot`)
  const leaves = await table.readLeaves(Array(table.manifest.size).keys())
  return [...leaves.values()]
}

async function attest(registries: InstalledRegistries, manifest: Manifest): Promise<void> {
  const { source_hash: sourceHash, ...value } = rootOf(manifest)
  await registries.attest(datasetFeedId(manifest.route, manifest.frequency), { ...value, sourceHash })
}
