import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { transactions } from '../support/recordings.ts'
import { createTestChain, START_MOTES, sessionOf } from '../support/testChain.ts'
import { readRecordedState } from './recordedState.ts'

/** End of the recording. */
const LAST = Date.parse('2026-11-20T10:01:10.500Z')

const senders = [
  '01522ef6c89038019cb7af05c340623804392dd2bb1f4dab5e4a9c3ab752fc0179',
  '01f60bce2bb1059c41910eac1e7ee6c3ef4c8fcc63a901eb9603c1524cadfb0c18',
]

/** A chain of the recorded name with the recorded senders and contracts, without the contracts' code. */
function createRecordedChain() {
  const writes = readRecordedState()
    .filter(({ stored }) => stored[0] !== 1)
    .map(({ key, stored }) => [key, stored] as const)
  const chain = createTestChain({
    chainName: 'casper-net-1',
    accounts: [keys.ed25519.publicKey.toHex(), ...senders].map((publicKey) => ({
      publicKey,
      balanceMotes: START_MOTES,
    })),
    engine: createFakeEngine(() => ({ writes })),
    now: () => LAST,
    blockTimeMs: 1000,
  })
  const session = sessionOf(1, { chainName: 'casper-net-1', timestampMs: LAST })
  expect(chain.put(session)).toBeNull()
  return { chain, answer: createAnswerRpc(chain) }
}

describe('recorded transactions', () => {
  test('default: each is accepted or rejected with the recorded message', async () => {
    const { chain, answer } = createRecordedChain()
    chain.produceBlock()
    const sent = transactions.filter(({ method }) => method === 'account_put_transaction')
    expect(sent.length).toBeGreaterThan(12)
    for (const each of sent) {
      const recorded = 'error' in each ? { error: each.error } : { result: each.result }
      expect([each.note, await answer(each.method, each.params)]).toEqual([each.note, recorded])
    }
  })

  test('default: a pending transaction has the recorded response', async () => {
    const { chain, answer } = createRecordedChain()
    chain.produceBlock()
    const [sent] = transactions
    const pending = transactions.find(({ note }) => note === 'attest pending')
    await answer(sent?.method ?? '', sent?.params)
    expect(await answer('info_get_transaction', pending?.params)).toEqual({
      result: memberAt(pending, 'result'),
    })
  })
})
