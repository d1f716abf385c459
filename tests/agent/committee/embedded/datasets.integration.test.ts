import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { rootOf, spotRow, spotRows } from '../../datasets/datasetApi.ts'
import { type AgentsBench, startAgents } from './agentsBench.ts'
import { dataset } from './committeeBench.ts'

const { feed_id: feedId } = dataset
const series = ['EER_A', 'EER_B', 'EER_C']
const rows = spotRows([16, 15, 14], series)

/** Roots on chain, oldest first, and how many agents have the snapshot of the newest one. */
async function rootsOf(bench: AgentsBench): Promise<string[]> {
  return await bench.rootsOf(feedId)
}

const holdersOf = (bench: AgentsBench, root: string): number =>
  bench.agents.filter(({ name }) =>
    existsSync(`${bench.folder.path}/${name}/datasets/${feedId.toLowerCase()}/${root}/manifest.json`),
  ).length

describe('a committee and a dataset', () => {
  test('default: five agents attest a root together, once, and each names who has signed', async () => {
    await using bench = await startAgents({ threshold: 4, rows })
    const ofDataset = () =>
      bench.agents.flatMap(({ outcomes }) => outcomes.filter(({ feed_id }) => feed_id === feedId).slice(0, 1))
    await bench.until(() => ofDataset().length === 5)
    expect(await rootsOf(bench)).toEqual([await rootOf(rows)])
    for (const { decision, source_hash, signers } of ofDataset()) {
      expect({ decision, source_hash }).toEqual({ decision: 'new-period', source_hash: await rootOf(rows) })
      expect(signers.length).toBeGreaterThan(0)
    }
  })

  test('behavior: members who read different states ask EIA again for what differs, and agree without reading all again', async () => {
    await using bench = await startAgents({ threshold: 4, rows })
    const late = [...rows.slice(0, 8), spotRow('2026-11-14', 'EER_C', '9.99')]
    for (const agent of bench.agents.slice(2)) agent.rows = late
    await bench.until(async () => (await rootsOf(bench)).length === 1)
    console.log(await rootsOf(bench), await rootOf(rows), await rootOf(late))
  })
})
