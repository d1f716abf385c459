import { expect, test } from 'bun:test'
import { listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { feeds } from '../../agent/committee/embedded/committeeBench.ts'
import { type MemberProcess, startCommitteeProcesses } from './committeeProcesses.ts'

const SEED = seedOf({ name: 'COMMITTEE_SEED', file: 'tests/endToEnd/committee' })

/** How often an agent is killed. */
const KILLS = IS_SOAK ? 6 : 1

/** Values of EIA, one for each day. */
const days = Array.from(
  { length: 1 + KILLS },
  (_, index) => [`2026-11-1${index}`, `${50 + index}.25`] as const,
)

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
    await using committee = await startCommitteeProcesses(
      3,
      Array.from({ length: 5 }, (_, index) => {
        if (index === 4) return [['2026-11-09', '58.1']]
        return [[day, index === 3 ? lie(value) : value]]
      }),
    )
    const { devnet, members, until, passStart, historyOf } = committee
    const [liar, late] = [members[3], members[4]]
    const honest = members.slice(0, 3)
    if (liar === undefined || late === undefined) throw new Error('there are five members')
    const height = await tipHeight(devnet)
    /** Whether each feed has this many values. */
    const isAttested = (count: number) => async (): Promise<boolean> => {
      const histories = await Promise.all(feeds.map(({ feed_id }) => historyOf(feed_id)))
      return histories.every(({ length }) => length >= count)
    }

    await passStart()
    await until(isAttested(1))
    const random = createRandom(SEED)
    for (const [index, [day, value]] of later.entries()) {
      for (const { values } of honest) values.set(day, value)
      liar.values.set(day, lie(value))
      late.values.set(...(days[index] ?? [day, value]))
      const killed = honest[Math.floor(random() * honest.length)]
      await killed?.restartAt(1 + Math.floor(random() * MAX_CALLS))
      await passStart()
      await until(isAttested(index + 2))
    }
    await until(async () =>
      (await Promise.all(honest.map((each) => isNamed(each, liar.name)))).every(Boolean),
    )
    const expected = days.map(([day, value]) => `${day.replaceAll('-', '')} ${Number(value) * 100}`)
    for (const { feed_id } of feeds) expect(await historyOf(feed_id)).toEqual(expected)
    const executed = await listExecuted(devnet, height)
    expect(executed.filter(({ errorMessage }) => errorMessage !== null)).toEqual([])
    for (const each of honest) expect(await isNamed(each, late.name)).toBe(false)
    const ends = await Promise.all(members.map((member) => member.stop()))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(members.map(() => 0))
    for (const { logged } of members) expect(logged()).not.toMatch(/internal error|another program/)
  },
  TIMEOUT_MS,
)
