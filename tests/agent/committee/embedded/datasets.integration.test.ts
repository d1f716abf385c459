import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { rootOf, spotRow, spotRows } from '../../datasets/datasetApi.ts'
import { type AgentsBench, type BenchAgent, startAgents } from './agentsBench.ts'
import { dataset } from './committeeBench.ts'

const { feed_id: feedId } = dataset
const series = ['EER_A', 'EER_B', 'EER_C']
const rows = spotRows([16, 15, 14], series)

/** What EIA has before two values are revised and one is new. */
const early = rows.slice(1).map((row, at) => (at < 2 ? { ...row, value: '0.50' } : row))

/** The first outcome of the dataset for each agent. */
const ofDataset = (bench: AgentsBench) =>
  bench.agents.flatMap(({ outcomes }) => outcomes.filter(({ feed_id }) => feed_id === feedId).slice(0, 1))

/** How often an agent has read the whole dataset. */
const snapshotsOf = ({ logged }: BenchAgent): number =>
  logged.filter(({ message }) => message === 'snapshot of a dataset taken').length

/** How many agents have the snapshot of a root. */
const holdersOf = (bench: AgentsBench, root: string): number =>
  bench.agents.filter(({ name }) =>
    existsSync(`${bench.folder.path}/${name}/datasets/${feedId.toLowerCase()}/${root}/manifest.json`),
  ).length

describe('a committee and a dataset', () => {
  test('default: five agents attest a root together, once, and each names who has signed', async () => {
    await using bench = await startAgents({ threshold: 4, rows })
    await bench.until(() => ofDataset(bench).length === 5)
    expect(await bench.rootsOf(feedId)).toEqual([await rootOf(rows)])
    for (const { decision, source_hash, signers } of ofDataset(bench)) {
      expect({ decision, source_hash }).toEqual({ decision: 'new-period', source_hash: await rootOf(rows) })
      expect(signers.length).toBeGreaterThan(0)
    }
  })

  test('behavior: members who read different states ask EIA again for what differs, and agree without reading all again', async () => {
    const rowsOf = { 0: early, 2: [...early.slice(0, 5), ...rows.slice(6)] }
    await using bench = await startAgents({ threshold: 4, rows, rowsOf })
    await bench.until(() => bench.agents.every((agent) => snapshotsOf(agent) === 1))
    for (const agent of bench.agents) agent.rows = rows
    await bench.until(() => ofDataset(bench).length === 5)
    expect(await bench.rootsOf(feedId)).toEqual([await rootOf(rows)])
    expect(bench.agents.map(snapshotsOf)).toEqual([1, 1, 1, 1, 1])
    expect(holdersOf(bench, await rootOf(rows))).toBe(5)
  })

  test('behavior: while too few agree, nothing is attested, and all read again', async () => {
    await using bench = await startAgents({ threshold: 4, rows, rowsOf: { 0: early, 1: early } })
    await bench.until(() => bench.agents.every((agent) => snapshotsOf(agent) === 2))
    expect(await bench.rootsOf(feedId)).toEqual([])
    const [own, other] = [await rootOf(rows), await rootOf(early)]
    const { error } = ofDataset(bench)[0] ?? {}
    expect(error?.code).toBe('roots_differ')
    expect(error?.message).toContain(`this one ${other}`)
    expect(error?.message).toMatch(
      /first petroleum.pri.spt daily value .*series=EER_A 2026-11-16: here none, at m\d 16.50/,
    )
    for (const agent of bench.agents) agent.rows = rows
    await bench.until(async () => (await bench.rootsOf(feedId)).length === 1)
    expect(await bench.rootsOf(feedId)).toEqual([own])
  })

  test('behavior: one that lies signs nothing of it, fetches the attested snapshot, and does not delay the others', async () => {
    const lie = [spotRow('2026-11-16', 'EER_A', '6.66'), ...rows.slice(1)]
    await using bench = await startAgents({ threshold: 4, rows, rowsOf: { 3: lie } })
    const root = await rootOf(rows)
    await bench.until(() => holdersOf(bench, root) === 5)
    expect(await bench.rootsOf(feedId)).toEqual([root])
    const signers = new Set(ofDataset(bench).flatMap((outcome) => outcome.signers))
    expect(signers.has('m3')).toBe(false)
  })
})
