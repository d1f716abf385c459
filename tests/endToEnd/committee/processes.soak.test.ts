import { expect, test } from 'bun:test'
import { listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { answerEia } from '../../agent/committee/embedded/agentsBench.ts'
import { feeds } from '../../agent/committee/embedded/committeeBench.ts'
import { type MemberProcess, runCommittee } from './committeeProcesses.ts'

const SEED = seedOf({ name: 'COMMITTEE_SEED', file: 'tests/endToEnd/committee' })

/** How often an agent is killed. */
const KILLS = IS_SOAK ? 6 : 1

/** Values of EIA, one for each day. */
const days = Array.from(
  { length: 1 + KILLS },
  (_, index) => [`2026-11-1${index}`, `${50 + index}.25`] as const,
)

/** The members that are not like the others. */
const [LIAR, LATE] = [3, 4]

const lie = (value: string): string => `6${value}`

const isNamed = async (member: MemberProcess, liar: string): Promise<boolean> =>
  new RegExp(`^wattfeed_committee_.*"${liar}".*"different_value".* [1-9]`, 'm').test(await member.metrics())

/** Where a killed agent is, in calls of its node after the value was published. */
const MAX_CALLS = 200

const TIMEOUT_MS = 300_000 * (1 + KILLS)

test(
  `behavior: five agents with a liar, one a day behind, and one killed at random: each value once (seed ${SEED})`,
  async () => {
    const [[day, value] = ['', ''], ...later] = days
    /** What EIA has for each member. */
    const values = Array.from({ length: 5 }, (_, index) => {
      if (index === LATE) return new Map([['2026-11-09', '58.1']])
      return new Map([[day, index === LIAR ? lie(value) : value]])
    })
    const eia = values.map((own) => (request: Request) => answerEia(request.url, own))
    await runCommittee({ threshold: 3, feeds, eia }, async ({ devnet, members, until, historyOf }) => {
      const honest = members.slice(0, LIAR)
      const height = await tipHeight(devnet)
      /** Whether each feed has this many values. */
      const isAttested = (count: number) => async (): Promise<boolean> => {
        const histories = await Promise.all(feeds.map(({ feed_id }) => historyOf(feed_id)))
        return histories.every(({ length }) => length >= count)
      }

      await until(isAttested(1))
      const random = createRandom(SEED)
      for (const [index, [day, value]] of later.entries()) {
        for (const own of values.slice(0, LIAR)) own.set(day, value)
        values[LIAR]?.set(day, lie(value))
        values[LATE]?.set(...(days[index] ?? [day, value]))
        const killed = honest[Math.floor(random() * honest.length)]
        await killed?.restartAt(1 + Math.floor(random() * MAX_CALLS))
        await until(isAttested(index + 2))
      }
      const [liar, late] = [LIAR, LATE].map((index) => members[index]?.name ?? '')
      await until(async () =>
        (await Promise.all(honest.map((each) => isNamed(each, `${liar}`)))).every(Boolean),
      )
      const expected = days.map(([day, value]) => `${day.replaceAll('-', '')} ${Number(value) * 100}`)
      for (const { feed_id } of feeds) {
        const history = await historyOf(feed_id)
        expect(history.map(({ period, amount }) => `${period} ${amount}`)).toEqual(expected)
      }
      const executed = await listExecuted(devnet, height)
      expect(executed.filter(({ errorMessage }) => errorMessage !== null)).toEqual([])
      for (const each of honest) expect(await isNamed(each, `${late}`)).toBe(false)
      const ends = await Promise.all(members.map((member) => member.stop()))
      expect(ends.map(({ exitCode }) => exitCode)).toEqual(members.map(() => 0))
      for (const { logged } of members) expect(logged()).not.toMatch(/internal error|another program/)
    })
  },
  TIMEOUT_MS,
)
