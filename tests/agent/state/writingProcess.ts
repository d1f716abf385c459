import { StateFileError } from '@wattfeed/base/disk'
import type { Settled } from '@wattfeed/casper/transaction'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { FeedPendingError } from '../../../src/agent/state/feedPending.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'

// Writes and settles transactions of feeds, half of which other processes use, too. Prints the hashes that it settled.
const [, , folder = '', name = '', count = '0'] = process.argv
using file = untilFree(() => openState(folder, { purpose: 'agent' }))
const store = createAttestationStore(
  stateOf(file, { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }),
)
const settled: string[] = []
for (let index = 0; settled.length < Number(count); index++) {
  const feed_id = index % 2 === 0 ? `EIA.${name}` : 'EIA.SHARED'
  const hash = new Bun.CryptoHasher('sha256').update(`${name} ${index}`).digest('hex')
  try {
    const claim = untilFree(() => store.claim([feed_id]))
    const pending = {
      chain_name: 'casper-net-1',
      purpose: createAttestPurpose([{ feed_id, period: index, amount: 1n, source_hash: hash }]),
      transaction_hash: hash,
      expires_at: index,
      payment_motes: '1',
      transaction: { Version1: { hash } },
    }
    const outcome = { outcome: 'executed', executed: { blockHeight: index } } as Settled
    untilFree(() => store.write(claim, pending))
    untilFree(() => store.settle(claim, pending, outcome))
    settled.push(hash)
  } catch (error) {
    if (!(error instanceof FeedPendingError)) throw error
  }
}
console.log(JSON.stringify(settled))

/** Repeats work that found the file in use. SQLite serves no queue, so on a slow disk the others may write for longer than a program waits. */
function untilFree<T>(work: () => T): T {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof StateFileError && error.rule.startsWith('is in use'))) throw error
    }
  }
}
