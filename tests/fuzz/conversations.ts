import { afterAll, beforeAll, expect, test } from 'bun:test'
// Preloads what is otherwise loaded on first use: virtual time cannot wait for a file.
import '../../packages/base/src/bytes/redact.ts'
import '../../packages/wattfeed/src/client/attestingTransaction.ts'
import '../../packages/wattfeed/src/client/feeds/known.ts'
import '../../packages/wattfeed/src/client/proof/checkFeedProof.ts'
import '../../packages/wattfeed/src/client/verifiedChain.ts'
import { FUZZ_RUNS } from '@wattfeed/testing/fuzzRuns'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { createVirtualTime, type VirtualTime } from '../support/virtualTime.ts'
import type { NamedCase } from './fuzzCases.ts'
import { createFuzzChain, type FuzzChain } from './fuzzChain.ts'
import { FUZZ_BLOCKS, type FuzzRun, runConversation } from './runConversation.ts'

/*
 * Runs FUZZ_RUNS conversations, with each case's share of them, with seeds from FUZZ_SEED on. A failed run prints its seed
 * and its events. `FUZZ_SEED=<seed> FUZZ_RUNS=1 bun test tests/fuzz -t '<case>'` repeats it alone.
 */
const FIRST_SEED = seedOf({ name: 'FUZZ_SEED', file: 'tests/fuzz' })

const MOST_SHOWN = 3
const MOST_LINES = 60
const MEBIBYTE = 2 ** 20
const MOST_GROWTH_BYTES = 100 * MEBIBYTE

/** Enough for a machine ten times slower, and for the requested number of runs. */
const TIMEOUT_MS = Math.max(1_200_000, FUZZ_RUNS * 600)

interface Stage {
  chain: FuzzChain
  foreign: FuzzChain
  time: VirtualTime
  setRandom(random: () => number): void
}

async function createStage(): Promise<Stage> {
  const chain = await createFuzzChain({
    validators: 3,
    firstAmount: 1_000_000n,
    title: 'true',
    blocks: FUZZ_BLOCKS,
    hasEmptyBlocks: true,
  })
  const foreign = await createFuzzChain({
    validators: 4,
    firstAmount: 9_000_000n,
    title: 'foreign',
    blocks: FUZZ_BLOCKS,
    hasEmptyBlocks: false,
  })
  let random: () => number = createRandom(0)
  return {
    chain,
    foreign,
    time: createVirtualTime(() => random()),
    setRandom(next) {
      random = next
    },
  }
}

function run(stage: Stage, fuzzCase: NamedCase, seed: number): Promise<FuzzRun> {
  const random = createRandom(seed)
  stage.setRandom(random)
  return runConversation(stage, stage.time, fuzzCase, random)
}

/** Returns the command that repeats a failed run, the reason, and the events before. */
function report(fuzzCase: NamedCase, seed: number, { violations, script }: FuzzRun): string {
  const repeat = `FUZZ_SEED=${seed} FUZZ_RUNS=1 bun test tests/fuzz -t '${fuzzCase.name}'`
  return [repeat, ...violations.slice(0, 3), ...script.slice(-MOST_LINES)].join('\n  ')
}

/** Returns the heap in use, not the resident memory: freed memory need not return to the system at once. */
function heldBytes(): number {
  Bun.gc(true)
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Defines the tests of some cases, on separate chains. */
export function testConversations(fuzzCases: readonly NamedCase[]): void {
  let stage: Stage | null = null
  let heldAtFirst: number | null = null

  const staged = (): Stage => {
    if (stage === null) throw new Error('the chains could not be made')
    return stage
  }

  beforeAll(async () => {
    stage = await createStage()
  }, TIMEOUT_MS)

  afterAll(async () => {
    stage?.time.restore()
    await stage?.chain[Symbol.asyncDispose]()
    await stage?.foreign[Symbol.asyncDispose]()
  })

  test(
    'behavior: a seed repeats itself',
    async () => {
      for (const fuzzCase of fuzzCases) {
        const first = await run(staged(), fuzzCase, FIRST_SEED)
        expect(await run(staged(), fuzzCase, FIRST_SEED)).toEqual(first)
      }
    },
    TIMEOUT_MS,
  )

  test.each(fuzzCases.map((fuzzCase) => [fuzzCase.name, fuzzCase] as const))(
    'behavior: %s',
    async (_, fuzzCase) => {
      const failed: string[] = []
      let count = 0
      const runs = Math.max(1, Math.round(FUZZ_RUNS * fuzzCase.share))
      for (let seed = FIRST_SEED; seed < FIRST_SEED + runs; seed++) {
        const outcome = await run(staged(), fuzzCase, seed)
        if (outcome.violations.length === 0) continue
        count += 1
        if (failed.length < MOST_SHOWN) failed.push(report(fuzzCase, seed, outcome))
      }
      // Measured after the first case, when the cache of repeated answers is full.
      heldAtFirst ??= heldBytes()
      expect(`${count} of ${runs} runs failed\n${failed.join('\n\n')}`).toBe(`0 of ${runs} runs failed\n`)
    },
    TIMEOUT_MS,
  )

  test('behavior: all runs together leave less than 100 MiB', () => {
    expect(heldBytes() - (heldAtFirst ?? 0)).toBeLessThan(MOST_GROWTH_BYTES)
  })
}
