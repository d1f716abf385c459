/** Measures transactions and reads of an embedded chain in this process; prints the times as JSON. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimEligibility } from '../../src/demo/claimEligibility.ts'
import { startDemoChain } from '../../src/demo/demoChain.ts'
import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'
import { createDevnetCall } from '../devnetCall.ts'
import { createDevnetCaller } from '../devnetCaller.ts'

/** In milliseconds. */
export interface DevnetTimes {
  /** All flagship feeds, signatures included. */
  register: number
  attests: number[]
  reads: number[]
}

const ROUNDS = 5
const READS = 200

const directory = await mkdtemp(join(tmpdir(), 'wattfeed-bench-'))
try {
  await using chain = await startDemoChain(0, directory)
  await claimEligibility(chain)
  chain.clock.release()
  const call = createDevnetCall(chain.devnet)
  const { register, attest } = createDevnetCaller({ ...chain, ...chain.owner, ...chain.devnet, call })
  const feeds = await loadFeeds(null)

  const start = performance.now()
  for (const { feed_id, ...feed } of feeds) await register(feed_id, feed)
  const times: DevnetTimes = { register: performance.now() - start, attests: [], reads: [] }

  for (let round = 0; round < ROUNDS; round++)
    for (const { feed_id } of feeds) times.attests.push(await attest(feed_id, 70_040_000n + BigInt(round)))

  const packageKey = `hash-${chain.packageHashes.FeedRegistry}`
  for (let read = 0; read < READS; read++) {
    const from = performance.now()
    await call('query_global_state', { state_identifier: null, key: packageKey, path: [] })
    times.reads.push(performance.now() - from)
  }
  console.log(JSON.stringify(times))
} finally {
  await rm(directory, { recursive: true, force: true })
}
