import { describe, expect, test } from 'bun:test'
import { createGivenApprovals } from '../../../src/agent/committee/givenApprovals.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { type AgentState, stateOf } from '../../../src/agent/state/openState.ts'
import {
  addSentValues,
  endComparison,
  openSentLog,
  pruneSentValues,
  removeSentValues,
} from '../../../src/agent/state/sentLog.ts'
import { createState } from '../../support/state.ts'
import { attestationOf } from '../run/fakes.ts'

const FEED = 'EIA.A'
const value = attestationOf()

/** A transaction that attests the value. */
const pendingOf = (hash: string) => ({
  chain_name: 'casper-net-1',
  purpose: createAttestPurpose([{ ...value, feed_id: FEED }]),
  transaction_hash: hash,
  expires_at: 1,
  payment_motes: '1',
  transaction: { Version1: { hash } },
})

function withState(use: (state: AgentState) => void): void {
  using opened = createState()
  use(
    stateOf(opened.file, {
      chainName: 'casper-net-1',
      contract: 'ab'.repeat(32),
      account: 'account-hash-01',
    }),
  )
}

const add = (state: AgentState, hash: string) => state.file.write(() => addSentValues(state, pendingOf(hash)))

describe('openSentLog', () => {
  test('default: a sent attestation is found once, even after a restart', () =>
    withState((state) => {
      add(state, 'aa')
      // It is recorded again when it is resumed.
      add(state, 'aa')
      expect(openSentLog(state).compare(FEED, [value], 1)).toEqual([])
      const log = openSentLog(state)
      expect(log.countOf(FEED)).toBe(1)
      expect(log.compare(FEED, [value], 1)).toEqual([value])
    }))

  test('behavior: a transaction that expired or failed put nothing on chain', () =>
    withState((state) => {
      add(state, 'aa')
      state.file.write(() => removeSentValues(state, pendingOf('aa')))
      expect(openSentLog(state).compare(FEED, [value], 1)).toEqual([value])
    }))

  test('behavior: of two values that are the same, one was sent by another program', () =>
    withState((state) => {
      add(state, 'aa')
      const again = { ...value, timestamp: value.timestamp + 1 }
      expect(openSentLog(state).compare(FEED, [value, again], 2)).toEqual([again])
    }))

  test('behavior: of another chain, nothing is found', () =>
    withState((state) => {
      add(state, 'aa')
      const other = stateOf(state.file, { ...state.destination, chainName: 'casper' })
      expect(openSentLog(other).compare(FEED, [value], 1)).toEqual([value])
    }))

  test('behavior: a member of a committee compares nothing, and keeps only what is in flight', () =>
    withState((state) => {
      const log = openSentLog(state)
      const sentHashes = () =>
        state.file.database.query('SELECT transaction_hash FROM sent_value ORDER BY 1').values().flat()
      const [settled, live] = ['aa'.repeat(32), 'bb'.repeat(32)]
      log.begin(5)
      add(state, settled)
      add(state, live)
      log.compare(FEED, [], 3)
      createGivenApprovals(state).claim(pendingOf(live), { height: 1, time: 1 })
      state.file.write(() => pruneSentValues(state))
      expect([sentHashes(), log.since()]).toEqual([[settled, live], 5])
      state.file.write(() => endComparison(state))
      expect([sentHashes(), log.since(), log.countOf(FEED)]).toEqual([[live], null, null])
    }))

  test('behavior: a time that is set stays', () =>
    withState((state) => {
      const log = openSentLog(state)
      expect(log.since()).toBeNull()
      log.begin(5)
      log.begin(9)
      expect(openSentLog(state).since()).toBe(5)
    }))
})
