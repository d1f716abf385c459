import { describe, expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { assertStateIsOld, NewStateError, recordRegistered } from '../../../src/agent/state/newState.ts'
import { type AgentState, openState, stateOf } from '../../../src/agent/state/openState.ts'
import { createState } from '../../support/state.ts'

const LIFETIME_MS = 300_000
const REGISTRY = 'cd'.repeat(32)

function withState(use: (state: AgentState, createdAt: number) => void): void {
  using opened = createState()
  const { created_at } = opened.file.database.query('SELECT created_at FROM origin').get() as {
    created_at: number
  }
  use(
    stateOf(opened.file, {
      chainName: 'casper-net-1',
      contract: 'ab'.repeat(32),
      account: 'account-hash-01',
    }),
    created_at,
  )
}

function readyAt(
  state: AgentState,
  blockTime: number,
  given: { feedIds?: string[]; feedRegistry?: string; now?: number } = {},
): number | null {
  // The machine's clock is right, and the newest block of this moment.
  const usual = { feedIds: ['EIA.A'], feedRegistry: REGISTRY, now: blockTime }
  try {
    assertStateIsOld(state, { ...usual, ...given, blockTime, lifetimeMs: LIFETIME_MS })
    return null
  } catch (error) {
    if (error instanceof NewStateError) return error.waitsUntil
    throw error
  }
}

describe('assertStateIsOld', () => {
  test('default: a new file attests after one lifetime, also in later runs', () =>
    withState((state, createdAt) => {
      const end = createdAt + LIFETIME_MS
      expect([readyAt(state, createdAt), readyAt(state, end - 1), readyAt(state, end)]).toEqual([
        end,
        end,
        null,
      ])
    }))

  test('behavior: the lifetime begins at the first block where the machine’s clock is behind', () =>
    withState((state, createdAt) => {
      const first = createdAt + 3_600_000
      const behind = { now: createdAt }
      expect(readyAt(state, first, behind)).toBe(first + LIFETIME_MS)
      expect(readyAt(state, first + LIFETIME_MS - 1, behind)).toBe(first + LIFETIME_MS)
      expect(readyAt(state, first + LIFETIME_MS, behind)).toBeNull()
    }))

  test('behavior: a node that lags at first does not shorten it', () =>
    withState((state, createdAt) => {
      expect(readyAt(state, createdAt - 3_600_000, { now: createdAt })).toBe(createdAt + LIFETIME_MS)
    }))

  test('behavior: a node that once showed a block of the far future does not make the file new for ever', () =>
    withState((state, createdAt) => {
      const day = 24 * 3_600_000
      const future = createdAt + 365 * day
      expect(readyAt(state, future, { now: createdAt })).toBe(future + LIFETIME_MS)
      expect(readyAt(state, createdAt)).toBe(createdAt + LIFETIME_MS)
      expect(readyAt(state, createdAt + LIFETIME_MS)).toBeNull()
    }))

  test('behavior: a machine’s clock that was ahead and is right again does not either', () => {
    using folder = createFolder()
    const ahead = Date.now() + 365 * 24 * 3_600_000
    {
      using file = openState(folder.path, { purpose: 'test' })
      file.database.query('UPDATE origin SET created_at = ?').run(ahead)
    }
    using file = openState(folder.path, { purpose: 'test' })
    const { created_at } = file.database.query('SELECT created_at FROM origin').get() as {
      created_at: number
    }
    expect(created_at).toBeLessThan(ahead)
    {
      using _ = openState(folder.path, { purpose: 'test' })
    }
    expect(file.database.query('SELECT created_at FROM origin').get()).toEqual({ created_at })
  })

  test.each(['casper', 'casper-net-1'])(
    'behavior: nor while the program runs, as soon as the clock is set right, on %s',
    (chainName) =>
      withState((opened, now) => {
        const state = stateOf(opened.file, { ...opened.destination, chainName })
        const day = 24 * 3_600_000
        state.file.database.query('UPDATE origin SET created_at = ?').run(now + 365 * day)
        const ahead = { now: now + 365 * day }
        expect(readyAt(state, now, ahead)).toBe(now + 365 * day + LIFETIME_MS)
        expect(readyAt(state, now + 1_000)).toBe(now + 1_000 + LIFETIME_MS)
        expect(readyAt(state, now + 1_000 + LIFETIME_MS)).toBeNull()
      }),
  )

  test('behavior: where blocks are made only for transactions, the machine’s clock counts', () =>
    withState((state, createdAt) => {
      const blockTime = createdAt - 3 * 3_600_000
      const end = createdAt + LIFETIME_MS
      // A block of a transaction's last moment may appear a little later.
      expect(readyAt(state, blockTime, { now: end + 59_999 })).toBe(end)
      expect(readyAt(state, blockTime, { now: end + 60_000 })).toBeNull()
      const real = stateOf(state.file, { ...state.destination, chainName: 'casper' })
      // On a network that makes blocks all the time, an old block is one of a lagging node.
      expect(readyAt(real, blockTime, { now: end + 3_600_000 })).toBe(end)
    }))

  test('behavior: feeds that this folder has registered are attested at once, at that registry', () =>
    withState((state, createdAt) => {
      state.file.write(() =>
        recordRegistered(state.file, { chainName: 'casper-net-1', contract: REGISTRY }, 'EIA.A'),
      )
      expect(readyAt(state, createdAt)).toBeNull()
      expect(readyAt(state, createdAt, { feedIds: ['EIA.A', 'EIA.B'] })).toBe(createdAt + LIFETIME_MS)
      const other = stateOf(state.file, { ...state.destination, chainName: 'casper' })
      expect(readyAt(other, createdAt)).toBe(createdAt + LIFETIME_MS)
      expect(readyAt(state, createdAt, { feedRegistry: 'ef'.repeat(32) })).toBe(createdAt + LIFETIME_MS)
    }))
})
