/**
 * Records the examples of the OpenAPI document: `bun scripts/recordApiExamples.ts`. Run it after an answer of the API has changed.
 * They are the server's answers on the demo's chain with two feeds, as of a fixed moment, so that recordings differ in hashes at most.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'wattfeed'
import { attestPast, planPast } from '../src/demo/attestPast.ts'
import { claimEligibility } from '../src/demo/claimEligibility.ts'
import { startDemoChain } from '../src/demo/demoChain.ts'
import { registerFlagshipFeeds } from '../src/demo/registerFlagshipFeeds.ts'
import { createUpstream } from '../src/demo/standIn/upstream.ts'
import { loadFeeds } from '../src/feeds/file/loadFeeds.ts'
import { createApp } from '../src/server/app.ts'
import { createMetrics } from '../src/server/metrics.ts'

const PRICE = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const STORAGE = 'EIA.NG.STORAGE.L48_WORKING.WEEKLY'
const ABSENT = 'EIA.NO.SUCH.FEED'

const NOW = Date.UTC(2026, 10, 19, 12)

// The demo leaves each feed's newest row to its agent. These are only released after the moment.
const LAST_RELEASES = Date.UTC(2026, 10, 22)

/** The request of each schema's example. Those of series and attested datasets have none: the recorded chain attests no dataset. */
const requests: Readonly<Record<string, string>> = {
  Reading: `/v1/feeds/${PRICE}`,
  Feeds: '/v1/feeds?q=henryhub',
  Readings: `/v1/readings?id=${PRICE}&id=${ABSENT}&fields=value,period`,
  Recent: `/v1/recent?id=${PRICE}&id=${ABSENT}&periods=2`,
  Status: `/v1/feeds/${STORAGE}/status`,
  Statuses: '/v1/status',
  Calendar: `/v1/calendar?id=${STORAGE}`,
  FeedProof: `/v1/feeds/${PRICE}/proof`,
  FeedsProof: '/v1/feeds.proof',
  HistoryProof: `/v1/feeds/${STORAGE}/history.proof`,
  FeedAbsence: `/v1/feeds/${ABSENT}/proof`,
  Provenance: `/v1/feeds/${PRICE}/provenance`,
  Attester: `/v1/feeds/${PRICE}/attester`,
  Transaction: `/v1/feeds/${PRICE}/history/0/transaction`,
  History: `/v1/feeds/${PRICE}/history?order=desc&limit=1`,
  Datasets: '/v1/datasets?family=petroleum/&q=cushing',
  Health: '/health',
  Ready: '/ready',
  Index: '/',
  Error: `/v1/feeds/${ABSENT}`,
}

const ORIGIN =
  'Answers of the server on the demo’s chain, whose figures are invented, by scripts/recordApiExamples.ts. Long bytes end with …, and long lists have their first entry.'

export async function recordApiExamples() {
  const directory = await mkdtemp(join(tmpdir(), 'wattfeed-demo-'))
  try {
    await using chain = await startDemoChain(0, directory)
    const feeds = (await loadFeeds(null)).filter(({ feed_id }) => [PRICE, STORAGE].includes(feed_id))
    await claimEligibility(chain)
    // One after the other, because the order of transactions in a block is not known.
    for (const feed of feeds) await registerFlagshipFeeds(chain, [feed], directory)
    await attestPast(chain, planPast(feeds, createUpstream(), LAST_RELEASES))
    const network = {
      chainName: chain.devnet.chainName,
      feedRegistryPackageHash: chain.packageHashes.FeedRegistry,
      attestationRegistryPackageHash: chain.packageHashes.AttestationRegistry,
    }
    const client = createClient({ ...network, rpcUrls: [chain.endpoint.url] })
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const app = createApp({ client, network, metrics: createMetrics(), log, now: () => NOW })
    const answers: Record<string, unknown> = {}
    for (const [schema, path] of Object.entries(requests)) {
      const response = await app.handle(new Request(`http://localhost${path}`))
      const body = await response.json()
      // The only figure that depends on the speed of the machine.
      if (schema === 'Ready') body.measured.root_age_ms = 0
      // Otherwise each release would change the recording.
      if (schema === 'Index') body.version = '0.1.0'
      answers[schema] = cut(body)
    }
    return { origin: ORIGIN, answers }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const MAX_HEX = 130
const MAX_TEXTS = 5
const MAX_OBJECTS = 2

/** Shortens what would hide the rest of an example. */
function cut(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_HEX && /^[0-9a-f]*$/.test(value) ? `${value.slice(0, 64)}…` : value
  if (Array.isArray(value)) {
    const max = typeof value[0] === 'string' ? MAX_TEXTS : MAX_OBJECTS
    return value.slice(0, value.length > max ? 1 : max).map(cut)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]))
}

if (import.meta.main) {
  const path = fileURLToPath(new URL('../src/server/http/apiExamples.json', import.meta.url))
  await writeFile(path, JSON.stringify(await recordApiExamples()))
  await Bun.$`bunx biome format --write ${path}`
}
