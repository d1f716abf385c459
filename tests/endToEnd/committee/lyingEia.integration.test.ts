import { expect, test } from 'bun:test'
import { answerEia, type UpstreamRow } from '@wattfeed/eia/internal'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { spot, spotRows } from '../../agent/datasets/datasetApi.ts'
import { feedOf } from '../../agent/run/fakes.ts'
import { runCommittee } from './committeeProcesses.ts'

const feeds = [feedOf('A'), feedOf('B')]
const datasets = new Map(upstreamDatasets.map((dataset) => [dataset.route, dataset]))

/** EIA's API with rows that come and change. */
class StandIn {
  #rows: readonly UpstreamRow[] = []
  readonly #lie: string | null

  /** @param lie the value of every row of A; null for an honest one */
  constructor(lie: string | null) {
    this.#lie = lie
  }

  readonly answer = ({ url, headers }: Request): Response => {
    const api = { datasets, rows: new Map([[spot.route, this.#rows]]), apiKey: null, maxRows: 200 }
    const { status, body } = answerEia(api, new URL(url), headers.get('x-params'))
    return Response.json(body, { status })
  }

  /** Publishes a day of November. */
  publish(day: number): void {
    const rows = spotRows([day], ['A', 'B'])
    this.#rows = [
      ...this.#rows,
      ...rows.map((row) => (row.series === 'A' && this.#lie !== null ? { ...row, value: this.#lie } : row)),
    ]
  }
}

/** What a member has logged of other values: `feed member`, for the feed and the member that has another one. */
const disagreements = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ refusal }) => refusal?.code === 'different_value')
    .map(({ refusal, member, proposer }) => `${refusal.feed_id} ${member ?? proposer}`)

test("behavior: four of five agents attest EIA's values once each, while one is lied to and another is killed", async () => {
  const [honest, lying] = [new StandIn(null), new StandIn('99.99')]
  const eia = [honest, honest, honest, honest, lying].map(({ answer }) => answer)
  const publish = (day: number): void => {
    for (const each of [honest, lying]) each.publish(day)
  }
  publish(12)
  await runCommittee({ threshold: 4, feeds, eia }, async ({ members, until, historyOf }) => {
    const isAttested = (count: number) => async (): Promise<boolean> => {
      const histories = await Promise.all(feeds.map(({ feed_id }) => historyOf(feed_id)))
      return histories.every(({ length }) => length >= count)
    }
    await until(isAttested(1))
    publish(13)
    // The others are one short of a quorum until it signs again.
    await members[0]?.restartAt(1)
    await until(isAttested(2))

    for (const { feed_id } of feeds) {
      const history = await historyOf(feed_id)
      expect(history.map(({ period, amount }) => `${period} ${amount}`)).toEqual([
        '20261112 1210',
        '20261113 1310',
      ])
    }
    const disagreed = () => members.map(({ logged }) => new Set(disagreements(logged())))
    await until(() => disagreed().every(({ size }) => size > 0))
    const [liar = new Set(), ...others] = disagreed().toReversed()
    // The one that is lied to says so of the others, and they of it alone.
    for (const each of liar) expect(each).toMatch(/^EIA\.A m[0-3]$/)
    for (const each of others) expect([...each]).toEqual(['EIA.A m4'])
  })
})
