import { createRpc } from '@wattfeed/casper'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { assertExecuted, createDurableSender, loadSigner } from '@wattfeed/casper/transaction'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'

// Sends an attestation, and prints the steps and the transaction. It runs in Node.js.
const [, , url = '', chainName = '', keyPath = '', packageHash = '', feedId = ''] = process.argv
const { signer } = await loadSigner(keyPath)
const steps: string[] = []
const sender = createDurableSender({
  rpc: createRpc({
    urls: [url],
    chainName,
    fetch,
    timeoutMs: 30_000,
    deadlineMs: 60_000,
    concurrency: 4,
    onCall: () => {},
  }),
  signer,
  chainName,
  store: createMemoryStore(),
  pollMs: 10,
  onStep: ({ step }) => steps.push(step),
})
const paymentMotes = 5_000_000_000n
const { settlement } = await sender.send({
  keys: [feedId],
  reserveMotes: paymentMotes,
  prepare: () => ({
    target: { packageHash, entryPoint: 'attest' },
    args: attestArguments({
      feed_id: feedId,
      period: 20_261_120,
      amount: 314n,
      source_hash: 'ab'.repeat(16),
    }),
    paymentMotes,
    purpose: { kind: 'test' },
  }),
})
const { transactionHash } = assertExecuted(settlement)
console.log(JSON.stringify({ runtime: process.release.name, steps, transactionHash }))
