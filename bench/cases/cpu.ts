import { exampleFeedPath, startBareEndpoint } from '../bareEndpoint.ts'
import { startBenchServer } from '../benchServer.ts'
import { startChainProcess } from '../chainProcess.ts'
import { cpuSeconds } from '../cpuTime.ts'
import { type Load, type LoadOptions, runLoad } from '../load.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

const gzip = { 'accept-encoding': 'gzip' }

/** Measures a request's CPU time, with log and metrics on, from the servers' process times. */
export async function measureCpu(plan: Plan): Promise<Row[]> {
  await using chain = await startChainProcess({ feeds: 'recorded', delayMs: 0 })
  await using strict = await startBenchServer(chain)
  await using recent = await startBenchServer({ settings: { ...chain.settings, MAX_STALENESS_MS: '20' } })
  await using bare = await startBareEndpoint(strict)
  const at = ({ url, pid }: { url: string; pid: number }, path: string) => ({ url: url + path, pid })
  const [constant, one, oneRecent, gzipped, bareList, list, bareCatalog, catalog] = await leastOf(plan, [
    at(bare, exampleFeedPath),
    at(strict, exampleFeedPath),
    at(recent, exampleFeedPath),
    { ...at(strict, '/v1/feeds'), headers: gzip },
    at(bare, '/v1/feeds'),
    at(strict, '/v1/feeds'),
    at(bare, '/v1/datasets'),
    at(strict, '/v1/datasets'),
  ] as const)
  const about = `${plan.connections} connections, no delay`
  return [
    row(`bare Elysia endpoint, ${about}`, constant, constant),
    { ...row(`\`/v1/feeds/:id\`, ${about}`, one, constant), ...goal(one, constant, 5) },
    row(`\`/v1/feeds/:id\` with MAX_STALENESS_MS=20, ${about}`, oneRecent, constant),
    {
      ...row(`\`/v1/feeds\`, gzip, ${about}`, gzipped, constant),
      target: '10,000 a second',
      reached: gzipped.perSecond >= 10_000,
    },
    row(`bare Elysia endpoint, object and schema of \`/v1/feeds\`, ${about}`, bareList, bareList),
    { ...row(`\`/v1/feeds\`, ${about}`, list, bareList), ...goal(list, bareList, 1.5) },
    row(`bare Elysia endpoint, object and schema of \`/v1/datasets\`, ${about}`, bareCatalog, bareCatalog),
    { ...row(`\`/v1/datasets\`, ${about}`, catalog, bareCatalog), ...goal(catalog, bareCatalog, 1) },
  ]
}

interface Target extends Pick<LoadOptions, 'url' | 'headers'> {
  pid: number
}

interface Cost extends Load {
  /** CPU microseconds a request. */
  cpuUs: number
}

// A short run is less likely to be disturbed by other processes: shared caches alone add half to the cost.
const RUN_SECONDS = 1

/** Loads the targets in turn. Returns each target's run with the least CPU time per request. */
async function leastOf<const Targets extends readonly Target[]>(
  { connections, loadRuns, loadSeconds }: Plan,
  targets: Targets,
): Promise<{ [Index in keyof Targets]: Cost }> {
  const least: Cost[] = []
  const seconds = Math.min(loadSeconds, RUN_SECONDS)
  const runs = Math.round((loadRuns * loadSeconds) / seconds)
  for (let run = 0; run < runs; run++)
    for (const [index, target] of targets.entries()) {
      const cost = await measure(target, { ...target, connections, seconds })
      if (!((least[index]?.cpuUs ?? Number.POSITIVE_INFINITY) < cost.cpuUs)) least[index] = cost
    }
  return least as { [Index in keyof Targets]: Cost }
}

async function measure({ pid }: Target, options: LoadOptions): Promise<Cost> {
  const before = await cpuSeconds(pid)
  const load = await runLoad(options)
  const cpu = (await cpuSeconds(pid)) - before
  return { ...load, cpuUs: (cpu * 1e6) / (load.perSecond * options.seconds) }
}

const row = (name: string, { perSecond, p50Ms, p99Ms, cpuUs }: Cost, bare: Cost): Row => ({
  name,
  perSecond,
  p50Ms,
  p99Ms,
  other: `${cpuUs.toFixed(1)} µs CPU, ${(cpuUs / bare.cpuUs).toFixed(2)} times the bare endpoint`,
})

const goal = ({ cpuUs }: Cost, bare: Cost, times: number): Pick<Row, 'target' | 'reached'> => ({
  target: `${times} times the CPU of the bare endpoint`,
  reached: cpuUs <= times * bare.cpuUs,
})
