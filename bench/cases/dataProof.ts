import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, verifyFeedProof } from 'wattfeed'
import { startChild } from '../../tests/support/child.ts'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { DataProofMeasurement } from '../programs/dataProof.ts'
import type { ProvenChainInfo, ProvenChainSettings } from '../programs/provenChain.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

const MAX_RSS_MB = 500
const HISTORY_MS = 3_000
const HISTORY_DELAY_MS = 50

/** Measures the proofs of complete lists: of a whole data set, and of one feed's history. */
export async function measureDataProof(plan: Plan): Promise<Row[]> {
  return [...(await measureDataSet(plan)), ...(await measureHistory(plan))]
}

async function startChain(
  settings: ProvenChainSettings,
): Promise<AsyncDisposable & { info: ProvenChainInfo }> {
  const program = join(import.meta.dir, '..', 'programs', 'provenChain.ts')
  const child = await startChild<never>(program, settings)
  return { info: child.started as ProvenChainInfo, [Symbol.asyncDispose]: child[Symbol.asyncDispose] }
}

async function measureDataSet(plan: Plan): Promise<Row[]> {
  const values = plan === quickPlan ? 200 : 100_000
  const others = plan === quickPlan ? 1_000 : 1_000_000
  await using chain = await startChain({ feeds: 36, values, others, delayMs: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-proof-'))
  const run = async (action: string): Promise<DataProofMeasurement> =>
    (await runProgram(
      'dataProof.ts',
      action,
      join(folder, 'data'),
      JSON.stringify(chain.info),
    )) as DataProofMeasurement
  try {
    const written = await run('write')
    const checked = await run('check')
    const row = (name: string, { seconds, maxRssMb, bytes }: DataProofMeasurement): Row => ({
      name: `${name} of ${values.toLocaleString('en-US')} values and as many events, in a state of ${others.toLocaleString('en-US')} other items`,
      other: `${seconds.toFixed(1)} s, ${Math.round(bytes / values)} bytes a value, at most ${Math.round(maxRssMb)} MB RSS`,
      target: `${MAX_RSS_MB} MB RSS`,
      reached: maxRssMb <= MAX_RSS_MB,
    })
    return [row('export with a proof', written), row('checking the proof and the rows', checked)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measureHistory(plan: Plan): Promise<Row[]> {
  const values = plan === quickPlan ? 20 : 1_000
  const delayMs = plan === quickPlan ? 1 : HISTORY_DELAY_MS
  await using chain = await startChain({
    feeds: 1,
    values,
    others: plan === quickPlan ? 0 : 1_000_000,
    delayMs,
  })
  const { info } = chain
  const { url, genesisHash, ...network } = info
  const times: number[] = []
  for (let round = 0; round < Math.min(plan.rounds, 5); round++) {
    const client = createClient({ ...network, rpcUrls: [url] })
    const start = performance.now()
    const proof = await client.getHistoryProof('BENCH.HOURLY.0', { from: genesisHash })
    times.push(performance.now() - start)
    const { history } = await verifyFeedProof(proof, { ...network, trustedBlockHash: genesisHash })
    if (history?.values.length !== values) throw new Error('the history is not proven')
  }
  const p50Ms = percentile(times, 0.5)
  return [
    {
      name: `the complete history of ${values.toLocaleString('en-US')} values, proven by a new client, ${delayMs} ms delay`,
      p50Ms,
      p99Ms: percentile(times, 0.99),
      target: `${HISTORY_MS.toLocaleString('en-US')} ms`,
      reached: p50Ms <= HISTORY_MS,
    },
  ]
}
