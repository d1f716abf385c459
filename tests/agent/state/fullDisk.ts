import type { Settled } from '@wattfeed/casper/transaction'
import { fillDisk } from '@wattfeed/testing/fillDisk'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'

// Sends on a disk that is full before each step, and prints what happened.
const [, , folder = ''] = process.argv
using file = openState(folder, { purpose: 'agent' })
const state = stateOf(file, {
  chainName: 'casper-net-1',
  contract: 'ab'.repeat(32),
  account: 'account-hash-01',
})
const store = createAttestationStore(state)
const events: string[] = []

/** Runs a step while the disk is full. */
function whileFull(name: string, step: () => unknown): void {
  using _ = fillDisk(folder)
  try {
    step()
    events.push(`${name}: done`)
  } catch (error) {
    events.push(`${name}: ${error instanceof Error ? error.message.replace(folder, '') : error}`)
  }
}

/** So large that its row needs new pages. */
const pendingOf = (digit: string) => ({
  chain_name: 'casper-net-1',
  purpose: createAttestPurpose([{ feed_id: 'EIA.A', period: 1, amount: 1n, source_hash: 'x'.repeat(6_000) }]),
  transaction_hash: digit.repeat(64),
  expires_at: 1,
  payment_motes: '1',
  transaction: { Version1: { hash: digit.repeat(64) } },
})

// So many that their rows need new pages.
const many = Array.from({ length: 500 }, (_, index) => `EIA.${index}.${'X'.repeat(100)}`)
whileFull('claim', () => store.claim(many))
store.release(store.claim(many))

const first = store.claim(['EIA.A'])
whileFull('write', () => store.write(first, pendingOf('a')))
store.release(first)
events.push(`stored: ${store.list().length}`)

const second = store.claim(['EIA.A'])
store.write(second, pendingOf('b'))
whileFull('settle', () =>
  store.settle(second, pendingOf('b'), { outcome: 'executed', executed: { blockHeight: 1 } } as Settled),
)
store.release(second)
store.release(store.claim(['EIA.A']))
events.push(`stored: ${store.list().length}`)
console.log(JSON.stringify(events))
