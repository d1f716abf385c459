import { expect, test } from 'bun:test'
import { createRpc } from '@wattfeed/casper'
import { signTransaction } from '@wattfeed/casper/transaction'
import { createDevnet } from '@wattfeed/casper-devnet'
import { nodeOf, startNodeWithFaults } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { encodeHostCalls, OUT } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { signersOf } from '@wattfeed/casper-devnet/testing/sender'
import {
  sendTransaction,
  type TransactionEvent,
} from '../../packages/casper/src/transaction/sendTransaction.ts'

/** A chain with two nodes. The first accepts transactions but does not pass them on. */
async function startNodes() {
  const devnet = createDevnet({ accounts: 1 })
  const [withholding, other] = [nodeOf(devnet), nodeOf(devnet)]
  withholding.faults.withhold()
  const [signer] = await signersOf(devnet.accounts)
  if (signer === undefined) throw new Error('the chain has no account')
  const [first, second] = [await startNodeWithFaults(withholding), await startNodeWithFaults(other)]
  const rpc = createRpc({
    urls: [first.url, second.url],
    chainName: devnet.chainName,
    fetch: (url, init) => fetch(url, init),
    timeoutMs: 30_000,
    deadlineMs: 90_000,
    concurrency: 8,
    onCall: () => {},
  })
  const signed = await signTransaction(signer, {
    chainName: devnet.chainName,
    target: { wasm: encodeHostCalls([{ name: 'get_blocktime', args: [OUT] }]) },
    args: {},
    paymentMotes: 2_500_000_000n,
    timestamp: Date.now() - 2_000,
  })
  const events: TransactionEvent[] = []
  return {
    rpc,
    signed,
    other,
    events,
    options: {
      rpc,
      pollMs: 1,
      wait: async () => {},
      onEvent: (event: TransactionEvent) => events.push(event),
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([first.stop(), second.stop(), devnet.stop()])
    },
  }
}

test('default: a transaction that the first node withholds is executed through the second', async () => {
  await using nodes = await startNodes()
  const { errorMessage } = await sendTransaction(nodes.signed, nodes.options)
  expect(errorMessage).toBeNull()
  expect(nodes.events).not.toContain('sent_again')
})

test('behavior: a second node that was away when it was sent gets it with the next resend', async () => {
  await using nodes = await startNodes()
  nodes.other.faults.refuse({ methods: ['account_put_transaction'] })
  const onEvent = (event: TransactionEvent) => {
    nodes.events.push(event)
    if (event === 'sent_again') nodes.other.faults.clear()
  }
  const { errorMessage } = await sendTransaction(nodes.signed, { ...nodes.options, onEvent })
  expect(errorMessage).toBeNull()
  // It is sent again after 15 polls, or earlier if the second node answers that it does not know it.
  const before = nodes.events.slice(0, nodes.events.indexOf('sent_again'))
  expect(before.length).toBeWithin(2, 17)
  expect(before).toEqual(['accepted', ...Array(before.length - 1).fill('pending')])
})

test("behavior: over HTTP, a node's Date is known", async () => {
  await using nodes = await startNodes()
  await sendTransaction(nodes.signed, nodes.options)
  expect(Date.now() - (nodes.rpc.nodeTime() ?? 0)).toBeWithin(-60_000, 60_000)
})
