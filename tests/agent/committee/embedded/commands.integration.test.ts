import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { acquireLock } from '@wattfeed/base/disk'
import { errorOf } from '@wattfeed/testing/errorOf'
import { attest } from '../../../../src/operator/feeds/attest.ts'
import { backfill } from '../../../../src/operator/feeds/backfill/backfill.ts'
import { rootOf, spotRows } from '../../datasets/datasetApi.ts'
import { type AgentsBench, startAgents } from './agentsBench.ts'
import { dataset, feeds } from './committeeBench.ts'

const [a = ''] = feeds.map(({ feed_id }) => feed_id)
const silent = { warn: () => {}, progress: () => {}, milestone: () => {} }

/** Lets time pass until a command has ended. */
async function runOn<T>(bench: AgentsBench, command: Promise<T>): Promise<T> {
  let isDone = false
  const result = command.finally(() => {
    isDone = true
  })
  await bench.until(() => isDone)
  return await result
}

describe('commands with the key of a member', () => {
  test('default: feeds attest joins the committee, and gives the approval that three agents lack', async () => {
    await using bench = await startAgents({ threshold: 4, running: [1, 2, 3] })
    const { settings, platform } = bench.programOf(0)
    const result = await runOn(bench, attest(settings, a, {}, silent, platform))
    expect(result).toMatchObject({ exitCode: 0, report: { decision: 'new-period' } })
    expect(await bench.historyOf(a)).toEqual(['20261116 5991'])
  })

  test('behavior: feeds attest --accept-shrunk waits for members that start later; agents that run refuse', async () => {
    const rows = spotRows([16, 15, 14], ['EER_A', 'EER_B', 'EER_C'])
    const shrunk = rows.filter(({ period, series }) => period !== '2026-11-14' || series === 'EER_A')
    const world = { rows }
    await using bench = await startAgents({ threshold: 3, running: [3, 4], rows })
    const run = (index: number, options = {}) => {
      const { settings, platform } = bench.programOf(index, undefined, () => world.rows)
      return attest(settings, dataset.feed_id, options, silent, platform)
    }
    const first = await runOn(bench, Promise.all([0, 1, 2].map((index) => run(index))))
    expect(first.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    world.rows = shrunk
    const startedAt = bench.time()
    const early = run(0, { acceptShrunk: true })
    early.catch(() => {})
    await bench.until(() => bench.time() >= startedAt + 240_000)
    const all = Promise.all([early, run(1, { acceptShrunk: true }), run(2, { acceptShrunk: true })])
    const results = await runOn(bench, all)
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    expect(await bench.rootsOf(dataset.feed_id)).toEqual([await rootOf(rows), await rootOf(shrunk)])
  })

  test('behavior: feeds backfill attests past values with the committee, each once, and keeps the newest one', async () => {
    const past = [1, 2, 3, 4, 5, 6].map((day) => [`2026-11-0${day}`, `${day}`] as const)
    const values = [...past, ['2026-11-16', '59.91'] as const]
    await using bench = await startAgents({ threshold: 4, running: [1, 2, 3, 4], values })
    await bench.until(async () => (await bench.historyOf(a)).length === 1)
    const { settings, platform } = bench.programOf(0)
    const range = { from: '2026-11-01', to: '2026-11-06', andRestate: true }
    const run = () => runOn(bench, backfill(settings, a, range, silent, { platform }))
    expect(await run()).toMatchObject({
      exitCode: 0,
      report: { periods: 6, attested: 6, transactions: 2, error: null },
    })
    const newest = '20261116 5991'
    const day = (number: number): string => `2026110${number} ${number}00`
    const history = [newest, day(1), day(2), day(3), newest, day(4), day(5), day(6), newest]
    expect(await bench.historyOf(a)).toEqual(history)
    expect(await run()).toMatchObject({ exitCode: 0, report: { periods: 0, held: 6 } })
    expect(await bench.historyOf(a)).toEqual(history)
  })

  test('error: feeds backfill names both values if the other members have another one', async () => {
    const past = (value: string) => [['2026-11-01', value] as const, ['2026-11-16', '59.91'] as const]
    await using bench = await startAgents({ threshold: 4, running: [1, 2, 3, 4], values: past('1') })
    await bench.until(async () => (await bench.historyOf(a)).length === 1)
    const { settings, platform } = bench.programOf(0, new Map(past('6.66')))
    const range = { from: '2026-11-01', to: '2026-11-06', andRestate: true }
    const command = backfill(settings, a, range, silent, { platform })
    const { report, exitCode } = await runOn(bench, command)
    expect([exitCode, await bench.historyOf(a)]).toEqual([2, ['20261116 5991']])
    expect(report).toMatchObject({ attested: 0, error: { code: 'quorum_disagreed' } })
  })

  test('error: feeds backfill waits for the first value of a feed; no command uses the state folder of an agent', async () => {
    await using bench = await startAgents({ threshold: 4, running: [] })
    const { settings, platform } = bench.programOf(0)
    const range = { from: '2026-01-01', andRestate: true }
    const fill = () => errorOf(backfill(settings, a, range, silent, { platform }))
    expect(await fill()).toMatchObject({ code: 'backfill', reason: 'committee' })
    using _agent = acquireLock(join(settings.agentStateDir, 'lock'), 'agent')
    const locked = { code: 'locked', purpose: 'agent' }
    expect(await fill()).toMatchObject(locked)
    expect(await errorOf(attest(settings, a, {}, silent, platform))).toMatchObject(locked)
  })
})
