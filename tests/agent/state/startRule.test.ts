import { describe, expect, test } from 'bun:test'
import { type AgentState, stateOf } from '../../../src/agent/state/openState.ts'
import { assertStateIsOld, NewStateError, recordRegistered } from '../../../src/agent/state/startRule.ts'
import { createState } from '../../support/state.ts'

const LIFETIME_MS = 300_000

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

function readyAt(state: AgentState, blockTime: number, feedIds = ['EIA.A']): number | null {
  try {
    assertStateIsOld(state, { feedIds, blockTime, lifetimeMs: LIFETIME_MS })
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
      expect(readyAt(state, first)).toBe(first + LIFETIME_MS)
      expect(readyAt(state, first + LIFETIME_MS - 1)).toBe(first + LIFETIME_MS)
      expect(readyAt(state, first + LIFETIME_MS)).toBeNull()
    }))

  test('behavior: a node that lags at first does not shorten it', () =>
    withState((state, createdAt) => {
      expect(readyAt(state, createdAt - 3_600_000)).toBe(createdAt + LIFETIME_MS)
    }))

  test('behavior: feeds that this folder has registered are attested at once, on that chain', () =>
    withState((state, createdAt) => {
      state.file.write(() => recordRegistered(state.file, 'casper-net-1', 'EIA.A'))
      expect(readyAt(state, createdAt)).toBeNull()
      expect(readyAt(state, createdAt, ['EIA.A', 'EIA.B'])).toBe(createdAt + LIFETIME_MS)
      const other = stateOf(state.file, { ...state.destination, chainName: 'casper' })
      expect(readyAt(other, createdAt)).toBe(createdAt + LIFETIME_MS)
    }))
})
