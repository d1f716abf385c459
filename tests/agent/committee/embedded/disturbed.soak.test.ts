import { describe, expect, test } from 'bun:test'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { rowOf } from '../../run/fakes.ts'
import { type CommitteeBench, createCommitteeBench, feeds } from './committeeBench.ts'

const FIRST = seedOf({ name: 'COMMITTEE_SEED', file: 'tests/agent/committee/embedded/disturbed' })
const RUNS = IS_SOAK ? Number(process.env.DISTURBANCES ?? 100) : 1

const ids = feeds.map(({ feed_id }) => feed_id)
const DAYS = 4
const LIAR = 3

const lie = (value: string): string => `6${value}`

/** Publishes a value of a day, and another one to the member that lies. */
function publish(bench: CommitteeBench, day: number): void {
  bench.publish(rowOf({ period: `2026-11-1${day}`, value: `${50 + day}.25` }))
  for (const rows of Object.values(bench.members[LIAR]?.rows ?? {})) {
    const [newest] = rows
    if (newest?.value) rows[0] = { ...newest, value: lie(newest.value) }
  }
}

/** Disconnects and restarts members at random for a minute, while some of them poll. */
async function disturb(bench: CommitteeBench, random: () => number): Promise<void> {
  for (let times = 0; times < 6; times++) {
    for (const [index, each] of bench.members.entries()) {
      each.isConnected = random() < 0.8
      if (random() < 0.1) await bench.restart(index)
      else if (random() < 0.5) for (const id of ids) each.member.found(id)
    }
    await bench.pass(4_000 + 16_000 * random())
  }
}

describe('members with real signatures, on the embedded chain', () => {
  test.each([3, 4])(
    'behavior: %i of 5, with a liar, cut off and restarted at random: each value once',
    async (threshold) => {
      for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
        await using bench = await createCommitteeBench({ threshold })
        const random = createRandom(seed)
        for (let day = 0; day < DAYS; day++) {
          publish(bench, day)
          await disturb(bench, random)
        }
        for (const each of bench.members) each.isConnected = true
        const values = Array.from({ length: DAYS }, (_, day) => `2026111${day} ${50 + day}25`)
        const readAll = () => Promise.all(ids.map((id) => bench.historyOf(id)))
        await bench.until(async () => {
          bench.find(...ids)
          return (await readAll()).every((history) => history.at(-1) === values.at(-1))
        })
        await bench.pass(240_000)
        const histories = await readAll()
        // A feed starts with the newest value of its first attestation.
        const expected = histories.map(([first = '']) => values.slice(values.indexOf(first)))
        expect({ seed, histories }).toEqual({ seed, histories: expected })
      }
    },
  )
})
