import { loadFeeds } from '../../src/feeds/file/loadFeeds.ts'
import { startDevnetChainProcess } from '../devnetChainProcess.ts'
import { percentile } from '../percentile.ts'
import type { Plan } from '../plan.ts'
import type { BootTimes } from '../programs/devnetBoot.ts'
import type { DevnetTimes } from '../programs/devnetLoad.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

/** Measures the speed of the embedded chain, and its memory with many feeds. */
export async function measureDevnet(plan: Plan): Promise<Row[]> {
  return [...(await measureBoot(plan)), ...(await measureCalls()), await measureManyFeeds(plan)]
}

async function measureBoot({ rounds }: Plan): Promise<Row[]> {
  const times: BootTimes[] = []
  for (let round = 0; round < rounds; round++) times.push((await runProgram('devnetBoot.ts')) as BootTimes)
  return (['first', 'next'] as const).map((which) => {
    const each = times.map((time) => time[which])
    const p50Ms = percentile(each, 0.5)
    return {
      name: `embedded chain: boot, three contracts installed, ${which} of a process`,
      p50Ms,
      p99Ms: percentile(each, 0.99),
      target: '100 ms',
      reached: p50Ms <= 100,
    }
  })
}

async function measureCalls(): Promise<Row[]> {
  const { register, attests, reads } = (await runProgram('devnetLoad.ts')) as DevnetTimes
  const row = (name: string, times: readonly number[], maxMs: number): Row => {
    const p50Ms = percentile(times, 0.5)
    const p99Ms = percentile(times, 0.99)
    return {
      name: `embedded chain: ${name}`,
      p50Ms,
      ...(times.length > 1 ? { p99Ms } : {}),
      target: `${maxMs} ms`,
      reached: p50Ms <= maxMs,
    }
  }
  return [
    row('36 feeds registered, one transaction each, signatures included', [register], 300),
    row('one `attest`', attests, 6),
    row('one read', reads, 1),
  ]
}

/** Uses HTTP, to measure the chain's memory alone. */
async function measureManyFeeds({ manyFeeds }: Plan): Promise<Row> {
  const chain = await startDevnetChainProcess()
  const [model] = await loadFeeds(null)
  if (model === undefined) throw new Error('there are flagship feeds')
  const start = performance.now()
  for (let index = 0; index < manyFeeds; index++) {
    await chain.register(`BENCH.FEED.${index}`, model)
    await chain.attest(`BENCH.FEED.${index}`, BigInt(index))
  }
  const durationMs = performance.now() - start
  const megabytes = await chain.stop()
  return {
    name: `embedded chain: ${manyFeeds.toLocaleString('en-US')} feeds registered and attested over HTTP, signatures included`,
    p50Ms: durationMs,
    other: `RSS ${Math.round(megabytes)} MB at most`,
    target: '150,000 ms, RSS 500 MB',
    reached: durationMs <= 150_000 && megabytes <= 500,
  }
}
