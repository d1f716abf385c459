import { expect, test } from 'bun:test'
import { StateFileError } from '@wattfeed/base/disk'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { Deliveries } from '../../../src/agent/committee/deliveries.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { createDisk } from './simulation/disk.ts'

const hash = 'cd'.repeat(32)
const transaction = {
  chain_name: 'model',
  purpose: createAttestPurpose([{ feed_id: 'EIA.A', period: 1, amount: 2n, source_hash: 'ff' }]),
  transaction_hash: hash,
  expires_at: 1_800_000_000_000,
  payment_motes: '1',
  transaction: { Version1: { hash } },
}

test('error: a transaction that cannot be recorded is logged, and sent all the same', async () => {
  using disk = createDisk()
  const full = new StateFileError({ path: 'wattfeed.db', rule: 'cannot be written (ENOSPC)' })
  const state = disk.open(() => {
    throw full
  })
  const asked: string[] = []
  const warned: unknown[] = []
  const stopping = new AbortController()
  const warn = (fields: object, message: string) => void warned.push([fields, message])
  const deliveries = new Deliveries({
    state,
    rpc: rpcOf(async (method) => {
      asked.push(method)
      stopping.abort()
      throw new Error('stopped')
    }),
    log: { warn },
    report: () => {},
    onExecuted: () => {},
    signal: stopping.signal,
  })
  deliveries.deliver(transaction)
  await deliveries.drain()
  expect(warned).toEqual([[{ reason: full.message }, "cannot record a committee's transaction yet"]])
  expect(asked).toEqual(['account_put_transaction'])
})
