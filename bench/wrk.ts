import type { Load, LoadOptions } from './load.ts'

/** Generates load with wrk, in one thread. */
export async function runWrk({ url, connections, seconds, headers = {} }: LoadOptions): Promise<Load> {
  const duration = `${Math.round(seconds)}s`
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const command = ['wrk', '-t1', `-c${connections}`, `-d${duration}`, '--latency', ...options, url]
  const wrk = Bun.spawn(command, { stdout: 'pipe' })
  return parseWrk(await new Response(wrk.stdout).text())
}

/** Parses the output of `wrk --latency`. */
export function parseWrk(output: string): Load {
  return {
    perSecond: Number(/^Requests\/sec: +([\d.]+)/m.exec(output)?.[1]),
    p50Ms: milliseconds(output, 50),
    p99Ms: milliseconds(output, 99),
    failures: Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0),
  }
}

const unitMs: Record<string, number> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 }

function milliseconds(output: string, percent: number): number {
  const [, number, unit = ''] = new RegExp(`^ +${percent}% +([\\d.]+)(us|ms|s|m)$`, 'm').exec(output) ?? []
  return Number(number) * (unitMs[unit] ?? Number.NaN)
}
