/**
 * Runs a chain and EIA's stand-in until SIGTERM, and prints the settings that name them. The first of its two feeds has a value
 * on chain, the second only at EIA. `tests/deploy/install.integration.test.ts` runs it in the network of a machine.
 */
import { nextStopSignal } from '../../../src/runtime/stopSignal.ts'
import { createDevnetBench, dailyFeeds } from '../../support/devnetBench.ts'

const feeds = dailyFeeds.slice(0, 2)
const bench = await createDevnetBench({ feeds })
const first = bench.folder.write('first.json', JSON.stringify(feeds.slice(0, 1)))
const { exitCode, stderr } = await bench.attest({ FEEDS_FILE: first })
if (exitCode !== 0) throw new Error(stderr)
console.log(JSON.stringify({ settings: bench.settings, feeds: feeds.map(({ feed_id }) => feed_id) }))
await nextStopSignal()
await bench[Symbol.asyncDispose]()
process.exit()
