import { type Load, runLoad } from './load.ts'
import { percentile } from './percentile.ts'
import type { Plan } from './plan.ts'

type Figures = Pick<Load, 'perSecond' | 'p50Ms' | 'p99Ms'>

/** Loads the URLs in turn, which spreads the machine's noise evenly, and returns the medians. */
export async function inTurn<const Urls extends readonly string[]>(
  { connections, loadRuns, loadSeconds }: Plan,
  urls: Urls,
  headers: Record<string, string> = {},
): Promise<{ [Index in keyof Urls]: Figures }> {
  const runs: Load[][] = []
  for (const url of urls) await runLoad({ url, connections, seconds: loadSeconds / 2, headers })
  for (let run = 0; run < loadRuns; run++) {
    const loads: Load[] = []
    for (const url of urls)
      loads.push(await runWithoutFailures({ url, connections, seconds: loadSeconds, headers }))
    runs.push(loads)
  }
  return urls.map((_, index) => medians(runs.flatMap((loads) => loads[index] ?? []))) as {
    [Index in keyof Urls]: Figures
  }
}

async function runWithoutFailures(options: Parameters<typeof runLoad>[0]): Promise<Load> {
  const load = await runLoad(options)
  if (load.failures > 0) throw new Error(`${options.url}: ${load.failures} answers were not 200`)
  return load
}

function medians(loads: readonly Load[]): Figures {
  const median = (figure: keyof Figures): number =>
    percentile(
      loads.map((load) => load[figure]),
      0.5,
    )
  return { perSecond: median('perSecond'), p50Ms: median('p50Ms'), p99Ms: median('p99Ms') }
}
