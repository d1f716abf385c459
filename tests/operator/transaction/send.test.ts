import { describe, expect, test } from 'bun:test'
import { createMemoryStore, type MemoryStore } from '@wattfeed/casper/testing/memoryStore'
import type { TransactionStore } from '@wattfeed/casper/transaction'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { submitRoot } from '../../../src/operator/eligibility/ownerCalls.ts'
import { sendTransactionFile } from '../../../src/operator/transaction/send.ts'
import { signTransactionFile } from '../../../src/operator/transaction/sign.ts'
import { CHAIN_NAME, createSharedAccount, type SharedAccount } from './sharedAccount.ts'

/** A file that two of three keys have signed, and a node whose answers can be changed. */
async function signedFile(change: (answer: AnswerRpc) => AnswerRpc = (answer) => answer) {
  const shared = await createSharedAccount()
  const [first, second] = shared.keys
  await submitRoot(7n, shared.owner(first))
  await signTransactionFile(await shared.inspect(), second, null)
  const rpc = rpcOf(change(shared.devnet.call), { chainName: CHAIN_NAME })
  return { shared, rpc, store: createMemoryStore() }
}

async function send(
  { shared, rpc, store }: { shared: SharedAccount; rpc: SharedAccount['rpc']; store: TransactionStore },
  changes: Partial<Parameters<typeof sendTransactionFile>[1]> = {},
) {
  const lines: string[] = []
  const terminal = { warn: () => {}, progress: (line: string) => void lines.push(line) }
  let hasSent = false
  let waits = 0
  const executed = sendTransactionFile(await shared.inspect({ open: () => rpc }), {
    store,
    terminal,
    async wait() {
      if (++waits > 100) throw new Error('it waits forever')
    },
    onStep({ step }) {
      hasSent ||= step === 'written' || step === 'pending'
    },
    ...changes,
  })
  return { executed, lines, hasSent: () => hasSent }
}

const error = (data: string) => ({ error: { code: -32016, message: 'Invalid transaction', data } })

describe('sendTransactionFile', () => {
  test('default: it is stored before it is sent, and removed once it is settled', async () => {
    const kept: unknown[] = []
    let store: MemoryStore | null = null
    const file = await signedFile((answer) => async (method, params) => {
      if (method === 'account_put_transaction') kept.push(store?.kept()?.purpose)
      return answer(method, params)
    })
    using shared = file.shared
    store = file.store
    const { executed, lines, hasSent } = await send(file)
    expect(await executed).toMatchObject({ errorMessage: null })
    expect(kept).toEqual([{ kind: 'file', path: shared.path }])
    expect([file.store.kept(), hasSent()]).toEqual([null, true])
    expect(lines.at(-1)).toStartWith(`${shared.path}: executed in block `)
  })

  test('behavior: an interrupted run is resumed by sending the file again', async () => {
    const stop = new AbortController()
    const file = await signedFile((answer) => async (method, params) => {
      if (method === 'account_put_transaction' && !stop.signal.aborted) {
        stop.abort(new Error('stopped'))
        throw new Error('the connection broke')
      }
      return answer(method, params)
    })
    using _ = file.shared
    const interrupted = await send(file, { signal: stop.signal })
    await expect(interrupted.executed).rejects.toThrow('stopped')
    expect(file.store.kept()).not.toBeNull()
    const resumed = await send(file)
    expect(await resumed.executed).toMatchObject({ errorMessage: null })
    expect(file.store.kept()).toBeNull()
  })

  test('error: every node rejects it: it is settled, with the reason of the node', async () => {
    const file = await signedFile(
      (answer) => async (method, params) =>
        method === 'account_put_transaction'
          ? error('the transaction was invalid: no such package at hash')
          : answer(method, params),
    )
    using _ = file.shared
    const { executed } = await send(file)
    expect(await errorOf(executed)).toMatchObject({ code: 'transaction_refused', reason: 'no_package' })
    expect(file.store.kept()).toBeNull()
  })

  test('error: the account cannot pay: nothing is stored or sent', async () => {
    const file = await signedFile(
      (answer) => async (method, params) =>
        method === 'query_balance' ? { result: { balance: '1' } } : answer(method, params),
    )
    using _ = file.shared
    const { executed, hasSent } = await send(file)
    expect(await errorOf(executed)).toMatchObject({ code: 'preflight', reason: 'balance' })
    expect([file.store.kept(), hasSent()]).toEqual([null, false])
  })

  test('error: no node answers about the account: nothing is sent', async () => {
    const file = await signedFile(() => () => {
      throw new Error('the connection broke')
    })
    using _ = file.shared
    const { executed } = await send(file)
    expect(await errorOf(executed)).toMatchObject({ code: 'all_nodes_failed' })
  })

  test('error: no node reports the keys of the account: nothing is sent', async () => {
    const file = await signedFile((answer) => async (method, params) => {
      if (method === 'state_get_account_info') throw new Error('the connection broke')
      return answer(method, params)
    })
    using shared = file.shared
    const { executed, hasSent } = await send(file)
    expect(await errorOf(executed)).toMatchObject({ code: 'transaction_file' })
    expect([file.store.kept(), hasSent()]).toEqual([null, false])
    expect(shared.warnings).toMatchObject([expect.stringContaining('no node answers')])
  })

  test('error: too little weight: the keys that may sign are named', async () => {
    using shared = await createSharedAccount()
    const [first, second, third] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const { executed } = await send({ shared, rpc: shared.rpc, store: createMemoryStore() })
    const { message } = await errorOf(executed)
    expect(message).toStartWith(`the signatures in ${shared.path} weigh 1, and the account needs 2; let more`)
    for (const { keyHash } of [second, third]) expect(message).toContain(`${keyHash} (weight 1)`)
  })
})
