/**
 * Measures how much the tests notice. It changes one operator, constant, condition or return value in random places of `src` and
 * of the packages, one at a time, and runs the tests that reach the place:
 *
 *     bun scripts/mutants.ts --count 300 --seed 1 --out mutants.jsonl
 *
 * It works in a clone of the last commit, and resumes where it was stopped: `--out` has a line for each mutant. It first runs each
 * test file alone for its coverage (some 20 minutes), which `--out` with the ending `.reach` keeps. What a test runs in another
 * process is not covered. The cheapest tests run first, and those of a mutant end after `--seconds` of their usual time.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { listMutants, type Mutant, withMutant } from './mutants/listMutants.ts'
import { measureReach, type ReachingTest, testsOf } from './mutants/reach.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: 'mutants.jsonl' },
    seconds: { type: 'string', default: '60' },
  },
})

const root = join(import.meta.dir, '..')
const sources = ['src/**/*.{ts,tsx}', 'packages/{base,casper,casper-devnet,dataset,eia,wattfeed}/src/**/*.ts']
const tests = ['tests/**/*.test.ts', 'packages/*/tests/**/*.test.ts']
const list = (patterns: readonly string[], cwd: string): string[] =>
  patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd })])
    // A soak takes too long, and repeats what other tests do.
    .filter((path) => !/\/node_modules\/|\.soak\.test\.ts$/.test(path))
    .sort()
const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []

/** Chooses places with equal chance. The same seed gives the same mutants while the sources are the same. */
function choose(checkout: string, count: number, seed: string): { file: string; mutant: Mutant }[] {
  const all = list(sources, checkout).flatMap((file) =>
    listMutants(file, readFileSync(join(checkout, file), 'utf8')).map((mutant) => ({ file, mutant })),
  )
  const order = (each: (typeof all)[number]): bigint =>
    Bun.hash.wyhash(JSON.stringify(each), BigInt(Bun.hash.crc32(seed)))
  return all
    .map((each) => ({ each, order: order(each) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ each }) => each)
}

async function readReach(checkout: string, path: string): Promise<ReachingTest[]> {
  const known: ReachingTest[] = linesOf(path).map((line) => JSON.parse(line))
  const rest = list(tests, checkout).filter((test) => !known.some((each) => each.test === test))
  for (const [index, test] of rest.entries()) {
    const found = (await measureReach(checkout, test)) ?? { test, ms: 0, lines: {} }
    appendFileSync(path, `${JSON.stringify(found)}\n`)
    known.push(found)
    console.error(`reach ${index + 1}/${rest.length} ${test} ${found.ms} ms`)
  }
  return known
}

type Verdict = 'noticed' | 'timed out' | 'survived' | 'not reached'

/** Runs the tests of a mutant, the cheapest first, until one fails. */
async function judge(
  checkout: string,
  reaching: readonly ReachingTest[],
): Promise<{ verdict: Verdict; by: string }> {
  if (reaching.length === 0) return { verdict: 'not reached', by: '' }
  for (const batch of batches(reaching)) {
    const by = batch.map(({ test }) => test).join(' ')
    const usualMs = batch.reduce((sum, { ms }) => sum + ms, 0)
    const child = Bun.spawn(
      [process.execPath, 'test', '--bail', '--no-isolate', ...batch.map(({ test }) => `./${test}`)],
      {
        cwd: checkout,
        env: { ...process.env, TMPDIR: temporary },
        stdout: 'ignore',
        stderr: 'ignore',
        timeout: 15_000 + 3 * usualMs,
        killSignal: 'SIGKILL',
        // A group of its own, so that the programs which a test has started end with it.
        detached: true,
      },
    )
    const exitCode = await child.exited
    killGroup(child.pid)
    if (child.signalCode === 'SIGKILL') return { verdict: 'timed out', by }
    if (exitCode !== 0) return { verdict: 'noticed', by }
  }
  return { verdict: 'survived', by: '' }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Parts the tests within the budget. Most mutants are noticed by the first few. */
function batches(reaching: readonly ReachingTest[]): ReachingTest[][] {
  let totalMs = 0
  const affordable = reaching.filter(({ ms }, index) => {
    totalMs += ms
    return index === 0 || totalMs <= Number(values.seconds) * 1_000
  })
  const found: ReachingTest[][] = []
  for (let from = 0, size = 3; from < affordable.length; from += size, size *= 3)
    found.push(affordable.slice(from, from + size))
  return found
}

const work = mkdtempSync(join(tmpdir(), 'wattfeed-mutants-'))
const checkout = join(work, 'wattfeed')
const temporary = join(work, 'tmp')
try {
  mkdirSync(temporary)
  await $`git clone --quiet ${root} ${checkout}`
  await $`${process.execPath} install --frozen-lockfile`.cwd(checkout).quiet()
  const reach = await readReach(checkout, `${values.out}.reach`)
  const done = new Set(linesOf(values.out).map((line) => JSON.parse(line).id))
  const chosen = choose(checkout, Number(values.count), values.seed)
  for (const [index, { file, mutant }] of chosen.entries()) {
    const path = join(checkout, file)
    const text = readFileSync(path, 'utf8')
    const line = text.slice(0, mutant.start).split('\n').length
    // A place may have two: `return 1` returns another number, or nothing.
    const id = `${file}:${line}:${mutant.start} ${text.slice(mutant.start, mutant.end)} -> ${mutant.replacement}`
    if (done.has(id)) continue
    writeFileSync(path, withMutant(text, mutant))
    const { verdict, by } = await judge(checkout, testsOf(reach, file, line))
    writeFileSync(path, text)
    appendFileSync(values.out, `${JSON.stringify({ id, verdict, by })}\n`)
    console.error(`${index + 1}/${chosen.length} ${id} ${verdict}`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

const verdicts = linesOf(values.out).map((line): { id: string; verdict: Verdict } => JSON.parse(line))
for (const verdict of ['noticed', 'timed out', 'survived', 'not reached'] as const)
  console.log(`${verdict}: ${verdicts.filter((each) => each.verdict === verdict).length}`)
for (const { id, verdict } of verdicts)
  if (verdict === 'survived' || verdict === 'not reached') console.log(`${verdict} ${id}`)
