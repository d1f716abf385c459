import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK, sampled } from '@wattfeed/testing/soak'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { pendingHashes } from '../../support/state.ts'
import { type AgentBench, createAgentBench } from '../run/agentBench.ts'

// Each test runs two processes.
const feeds = (await loadFeeds(null)).slice(0, 2)
const program = fileURLToPath(new URL('program.ts', import.meta.url))

/** Where a run is killed, from the fetch to the end. */
const points = [
  'upstream not asked',
  'upstream answered',
  'checked',
  'signed',
  'written',
  'not taken',
  'taken, not answered',
  'accepted',
  'pending',
  'settled',
  'removed',
  'printed',
]

/** Runs the agent until the point, and kills it there. A run that has nothing left to send may end well before it. */
async function killAt(
  point: string,
  { settings, folder }: AgentBench,
  mayEnd?: 'may end before',
): Promise<void> {
  const child = Bun.spawn([process.execPath, program, point], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(`stopped at ${point}\n`)) {
    const { value, done } = await reader.read()
    if (done && mayEnd && (await child.exited) === 0) return
    if (done) throw new Error(`it ended before ${point}: ${text} ${await new Response(child.stderr).text()}`)
    text += value
  }
  child.kill('SIGKILL')
  await child.exited
}

/** Where the network may have the transaction, and execute it while nobody looks. */
const onTheWay = ['taken, not answered', 'accepted', 'pending']

const runs = [
  ...points.map((point) => [point, 'no block is made'] as const),
  ...onTheWay.map((point) => [point, 'a block is made'] as const),
]

test.each(sampled(runs))(
  'behavior: killed at %p, and %s: after a restart, each value is attested once',
  async (point, then) => {
    await using bench = await createAgentBench({ feeds, chain: { looks: point === 'pending' ? 1 : 0 } })
    await killAt(point, bench)
    if (then === 'a block is made') await bench.chain.makeBlock()
    bench.chain.hurry()
    const { exitCode, lines, stderr } = await bench.run(['--once', '--json'])
    expect([exitCode, lines.map(({ error }) => error)]).toEqual([0, [null, null]])
    expect(stderr).not.toMatch(/internal error/)
    expect(stderr).not.toContain('another program')
    await bench.chain.makeBlock()
    const attested = (await bench.chain.attested()).map(({ feed_id, period, amount }) => [
      feed_id,
      period,
      `${amount}`,
    ])
    expect(attested.sort()).toEqual(
      lines.map(({ feed_id, period, amount }) => [feed_id, period ?? 0, `${amount}`]).sort(),
    )
    expect([
      bench.chain.executed.length,
      new Set(bench.chain.sent).size,
      Object.keys(bench.stateFiles()),
      pendingHashes(bench.stateDir),
    ]).toEqual([1, 1, ['wattfeed.db'], []])
  },
)

test('behavior: killed twice during a transaction, and again at the same point: attested once', async () => {
  await using bench = await createAgentBench({ feeds })
  for (const point of ['written', 'taken, not answered', 'settled']) await killAt(point, bench)
  const { exitCode, lines } = await bench.run(['--once', '--json'])
  expect([exitCode, lines.map(({ decision }) => decision)]).toEqual([0, ['unchanged', 'unchanged']])
  expect([
    (await bench.chain.attested()).length,
    new Set(bench.chain.sent).size,
    Object.keys(bench.stateFiles()),
    pendingHashes(bench.stateDir),
  ]).toEqual([2, 1, ['wattfeed.db'], []])
})

/** Kills in a row on one folder. */
const IN_A_ROW = 5
/** How often that is done: in a soak, 500 kills. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? (IS_SOAK ? 100 : 2))
const seed = seedOf({ name: 'KILL_SEED', file: 'tests/agent/crash' })

test(`behavior: killed ${IN_A_ROW} times in a row at random points, ${ROUNDS} times: attested once`, async () => {
  const random = createRandom(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  for (let round = 0; round < ROUNDS; round++) {
    await using bench = await createAgentBench({ feeds, chain: { looks: pick([0, 1]) } })
    const kills = Array.from({ length: IN_A_ROW }, () => pick(points))
    for (const point of kills) {
      await killAt(point, bench, 'may end before')
      if (random() < 0.3) await bench.chain.makeBlock()
    }
    bench.chain.hurry()
    const { exitCode, lines } = await bench.run(['--once', '--json'])
    const attested = (await bench.chain.attested()).map(({ feed_id, amount }) => `${feed_id} ${amount}`)
    expect({
      kills,
      exitCode,
      sent: [bench.chain.executed.length, new Set(bench.chain.sent).size],
      attested: attested.toSorted(),
      pending: pendingHashes(bench.stateDir),
    }).toEqual({
      kills,
      exitCode: 0,
      sent: [1, 1],
      attested: lines.map(({ feed_id, amount }) => `${feed_id} ${amount}`).toSorted(),
      pending: [],
    })
  }
}, 1_200_000)
