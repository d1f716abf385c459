import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { openAnnouncedRoots } from '../../../src/agent/state/announcedRoots.ts'
import { openState, stateOf, stateSchema } from '../../../src/agent/state/openState.ts'
import { formatStateStatus, readStateStatus } from '../../../src/agent/state/stateStatus.ts'
import { createState, statePath, type TestState } from '../../support/state.ts'

const destination = { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const place = { chain_name: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const T = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000
const first = 'petroleum/pri/gnd weekly value area=NUS 2026-11-20: here 3.05, at north 3.06'

const heldOf = (digit: string) => ({ root: digit.repeat(64), size: 7, period: 20_261_120, began: T - MINUTE })

function createBench(state: TestState) {
  const clock = { now: T }
  const feeds = { ids: ['EIA.A', 'EIA.B'] }
  const warned: object[] = []
  const open = () =>
    openAnnouncedRoots(stateOf(state.file, destination), {
      feedIds: () => feeds.ids,
      now: () => clock.now,
      log: { warn: (fields: object) => void warned.push(fields) },
    })
  const status = () => readStateStatus(state.folder.path)
  /** Member, first digit of the root and minute of each stored announcement. */
  const rows = () =>
    status().announced.map(({ member, root, heard_at }) =>
      [member, root[0], heard_at.slice(14, 16)].join(' '),
    )
  return { clock, feeds, warned, open, status, rows }
}

describe('announced roots', () => {
  test('default: "agent status" has the root of each member, and where it first differs', () => {
    using state = createState()
    const { open, status } = createBench(state)
    const roots = open()
    roots.note('EIA.A', 'this member', heldOf('a'))
    roots.note('EIA.A', 'north', heldOf('b'))
    roots.noteDifference('EIA.A', 'north', { ownRoot: 'a'.repeat(64), otherRoot: 'b'.repeat(64), first })
    const north = {
      ...place,
      feed_id: 'EIA.A',
      member: 'north',
      root: 'b'.repeat(64),
      size: 7,
      period: 20_261_120,
      began: '2026-11-20T11:59:00.000Z',
      heard_at: '2026-11-20T12:00:00.000Z',
    }
    const found = status()
    expect([found.announced, found.differences]).toEqual([
      [north, { ...north, member: 'this member', root: 'a'.repeat(64) }],
      [
        {
          ...place,
          feed_id: 'EIA.A',
          member: 'north',
          own_root: 'a'.repeat(64),
          other_root: 'b'.repeat(64),
          first,
        },
      ],
    ])
    const text = formatStateStatus(found)
    expect(text).toContain(
      `EIA.A  north        ${'b'.repeat(64)}  7       20261120       2026-11-20T12:00:00.000Z`,
    )
    expect(text).toContain(first)
  })

  test('default: an agent without a committee shows none', () => {
    using state = createState()
    const found = readStateStatus(state.folder.path)
    expect([found.announced, found.differences]).toEqual([[], []])
    expect(formatStateStatus(found)).not.toContain('Roots')
  })

  test('behavior: a root that is announced again is written after five minutes, another one after ten seconds', () => {
    using state = createState()
    const { clock, open, rows } = createBench(state)
    const roots = open()
    const noteAt = (ms: number, digit: string) => {
      clock.now = T + ms
      roots.note('EIA.A', 'north', heldOf(digit))
      return rows()[0]
    }
    expect([
      noteAt(0, 'a'),
      noteAt(5 * MINUTE - 1, 'a'),
      noteAt(5 * MINUTE, 'a'),
      noteAt(5 * MINUTE + 9_999, 'b'),
      noteAt(5 * MINUTE + 10_000, 'b'),
    ]).toEqual(['north a 00', 'north a 00', 'north a 05', 'north a 05', 'north b 05'])
  })

  test('behavior: a clock that was ahead does not keep an old row', () => {
    using state = createState()
    const { clock, open, rows } = createBench(state)
    const roots = open()
    clock.now = T + 60 * MINUTE * 24
    roots.note('EIA.A', 'north', heldOf('a'))
    clock.now = T + MINUTE
    roots.note('EIA.A', 'north', heldOf('a'))
    expect(rows()).toEqual(['north a 01'])
  })

  test('behavior: a difference goes once one of both holds another root', () => {
    using state = createState()
    const { clock, open, status } = createBench(state)
    const roots = open()
    roots.note('EIA.A', 'this member', heldOf('a'))
    roots.note('EIA.A', 'north', heldOf('b'))
    roots.note('EIA.A', 'south', heldOf('c'))
    for (const [member, digit] of [
      ['north', 'b'],
      ['south', 'c'],
    ] as const)
      roots.noteDifference('EIA.A', member, { ownRoot: 'a'.repeat(64), otherRoot: digit.repeat(64), first })
    clock.now += MINUTE
    const members = () => status().differences.map(({ member }) => member)
    roots.note('EIA.A', 'north', heldOf('d'))
    expect(members()).toEqual(['south'])
    roots.note('EIA.A', 'this member', heldOf('d'))
    expect(members()).toEqual([])
  })

  test('behavior: a member that has restarted holds none', () => {
    using state = createState()
    const { clock, open, rows } = createBench(state)
    const roots = open()
    roots.note('EIA.A', 'north', heldOf('a'))
    clock.now += MINUTE
    roots.note('EIA.A', 'north', null)
    expect(rows()).toEqual([])
  })

  test('behavior: a member that holds none, and says so again and again, causes no write', () => {
    using state = createState()
    let writes = 0
    const file: typeof state.file = {
      ...state.file,
      write: state.file.write,
      writeLater: (work) => {
        writes++
        return state.file.writeLater(work)
      },
    }
    const { clock, open } = createBench({ ...state, file })
    const roots = open()
    for (; clock.now < T + 60 * MINUTE; clock.now += MINUTE) roots.note('EIA.A', 'north', null)
    expect(writes).toBe(0)
    roots.note('EIA.A', 'north', heldOf('a'))
    expect(writes).toBe(1)
  })

  test('behavior: only datasets of the feeds file are stored, and a restart forgets all', () => {
    using state = createState()
    const { clock, feeds, open, status } = createBench(state)
    const ids = () => [...status().announced, ...status().differences].map(({ feed_id }) => feed_id)
    const roots = open()
    const difference = { ownRoot: 'a'.repeat(64), otherRoot: 'b'.repeat(64), first }
    for (const feedId of ['EIA.A', 'EIA.B', 'EIA.C']) {
      roots.note(feedId, 'north', heldOf('b'))
      roots.noteDifference(feedId, 'north', difference)
    }
    expect(ids()).toEqual(['EIA.A', 'EIA.B', 'EIA.A', 'EIA.B'])
    feeds.ids = ['EIA.B']
    clock.now += 6 * MINUTE
    roots.note('EIA.B', 'north', heldOf('b'))
    expect(ids()).toEqual(['EIA.B', 'EIA.B'])
    open()
    expect(ids()).toEqual([])
  })

  test('behavior: a file of an earlier version gets the tables, and can be read before', () => {
    using state = createState()
    const path = statePath(state.folder.path)
    state.file.database.run('DROP TABLE announced_root')
    state.file.database.run('DROP TABLE root_difference')
    state.file.database.run('PRAGMA user_version = 1')
    expect(readStateStatus(state.folder.path).announced).toEqual([])
    using file = openState(state.folder.path, { purpose: 'test' })
    expect(file.database.query('SELECT * FROM announced_root').all()).toEqual([])
    using reader = new Database(path, { readonly: true })
    expect(reader.query('PRAGMA user_version').get()).toEqual({ user_version: stateSchema.migrations.length })
  })

  test('error: a write that fails is logged, and nothing else happens', () => {
    using state = createState()
    const { warned, open } = createBench(state)
    const roots = open()
    state.file.database.run('DROP TABLE announced_root')
    roots.note('EIA.A', 'north', heldOf('a'))
    expect(warned).toEqual([{ reason: expect.stringContaining('announced_root') }])
  })
})
