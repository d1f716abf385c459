import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A test file: what it costs alone, and the lines of the sources that it runs in its own process. */
export interface ReachingTest {
  readonly test: string
  readonly ms: number
  readonly lines: Readonly<Record<string, readonly number[]>>
}

/** Runs a test file alone, and reads its coverage. Returns null if it fails. */
export async function measureReach(checkout: string, test: string): Promise<ReachingTest | null> {
  const folder = join(checkout, 'node_modules/.cache/mutants', Bun.hash(test).toString(36))
  const start = performance.now()
  const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${folder}`]
  const { exited } = Bun.spawn([process.execPath, 'test', ...coverage, `./${test}`], {
    cwd: checkout,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await exited) !== 0) return null
  const ms = Math.round(performance.now() - start)
  return { test, ms, lines: parseLcov(readFileSync(join(folder, 'lcov.info'), 'utf8')) }
}

/** Returns the lines that ran, of each file of the sources. */
export function parseLcov(text: string): Record<string, number[]> {
  const lines: Record<string, number[]> = {}
  for (const record of text.split('end_of_record')) {
    const file = /^SF:(.*)$/m.exec(record)?.[1] ?? ''
    if (!/^(src|packages\/[\w-]+\/src)\//.test(file)) continue
    const hits = [...record.matchAll(/^DA:(\d+),(\d+)$/gm)]
    lines[file] = hits.filter(([, , count]) => count !== '0').map(([, line]) => Number(line))
  }
  return lines
}

/** Lists the tests that run a line, the cheapest first. */
export const testsOf = (reach: readonly ReachingTest[], file: string, line: number): ReachingTest[] =>
  reach.filter(({ lines }) => lines[file]?.includes(line)).toSorted((a, b) => a.ms - b.ms)
