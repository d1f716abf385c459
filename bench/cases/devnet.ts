import { join } from 'node:path'
import type { Plan } from '../plan.ts'
import type { DevnetFigures } from '../programs/devnetLoad.ts'
import type { Row } from '../table.ts'

const program = join(import.meta.dir, '../programs/devnetLoad.ts')

/** The embedded chain, without a socket. */
export async function measureDevnet({ manyFeeds }: Plan): Promise<Row[]> {
  const child = Bun.spawn([process.execPath, program, String(manyFeeds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the embedded chain could not be measured')
  const { bootMs, registerMs, attestMs, readMs, manyMs, megabytes }: DevnetFigures = JSON.parse(text)
  const name = 'embedded chain'
  return [
    {
      name: `${name}: boot, three contracts installed`,
      p50Ms: bootMs,
      target: '100 ms',
      reached: bootMs <= 100,
    },
    {
      name: `${name}: 36 feeds registered, one transaction each, signatures included`,
      p50Ms: registerMs,
      target: '300 ms',
      reached: registerMs <= 300,
    },
    {
      name: `${name}: one \`attest\``,
      p50Ms: attestMs.p50,
      p99Ms: attestMs.p99,
      target: '6 ms',
      reached: attestMs.p50 <= 6,
    },
    {
      name: `${name}: one read`,
      p50Ms: readMs.p50,
      p99Ms: readMs.p99,
      target: '1 ms',
      reached: readMs.p50 <= 1,
    },
    {
      name: `${name}: ${manyFeeds.toLocaleString('en-US')} feeds registered and attested, signatures included`,
      p50Ms: manyMs,
      other: `RSS ${Math.round(megabytes)} MB at most`,
      target: '150,000 ms, RSS 500 MB',
      reached: manyMs <= 150_000 && megabytes <= 500,
    },
  ]
}
