import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readBlockTimes } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { install } from '../../../src/operator/contracts/install.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { upgrade } from '../../../src/operator/contracts/upgrade.ts'
import { wire } from '../../../src/operator/contracts/wire.ts'
import { readTransactionFile } from '../../../src/operator/transaction/transactionFile.ts'
import { type Bench, createBench, START, writeWasm } from '../../agent/support/operation.ts'

const shortOf = (reports: readonly { step: string; state: string }[]): string[] =>
  reports.map(({ step, state }) => `${step}: ${state}`)

const outOf = ({ folder }: Bench, name: string) => ({
  out: { path: `${folder.path}/${name}.json`, lifetimeMs: null },
})

/** Executes the transaction of a file, as "transaction send" does. */
async function executeFile({ chain }: Bench, { out }: ReturnType<typeof outOf>): Promise<string> {
  const { json, transaction } = await readTransactionFile(out.path)
  await chain.answer('account_put_transaction', { transaction: json })
  await chain.makeBlock()
  return transaction.hash
}

describe('install --out', () => {
  test('default: writes one step after another; a run after its execution records it', async () => {
    using bench = await createBench()
    const steps = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => outOf(bench, name))
    for (const [index, step] of steps.entries()) {
      const reports = await install(await bench.open(step))
      expect(reports.filter(({ state }) => state === 'written')).toHaveLength(1)
      expect(reports.filter(({ state }) => state === 'planned')).toHaveLength(4 - index)
      await executeFile(bench, step)
    }
    const last = outOf(bench, 'last')
    expect(shortOf(await install(await bench.open(last)))).toEqual([
      'install FeedRegistry: done',
      'install AttestationRegistry: done',
      'install EligibilityGate: done',
      'FeedRegistry.set_eligibility_gate: done',
      'AttestationRegistry.set_feed_registry: executed',
    ])
    expect(existsSync(last.out.path)).toBeFalse()
    expect(await bench.readFile()).toMatchObject({
      written: null,
      contracts: { EligibilityGate: { wasm_sha256: expect.any(String) } },
      transactions: Array.from({ length: 5 }, () => ({ error: null })),
    })
  })

  test('default: the report and the deployment file name the transaction, its file and its end', async () => {
    using bench = await createBench()
    const first = outOf(bench, 'first')
    const [report] = await install(await bench.open(first))
    const { transaction } = await readTransactionFile(first.out.path)
    const expiresAt = transaction.timestampMs + transaction.ttlMs
    expect(report).toEqual({
      step: 'install FeedRegistry',
      state: 'written',
      transaction_hash: transaction.hash,
      block_height: null,
      payment_motes: '200000000000',
      consumed_motes: null,
      charged_motes: null,
      file: first.out.path,
      expires_at: new Date(expiresAt).toISOString(),
      is_signed: true,
    })
    expect((await bench.readFile())?.written).toMatchObject({
      step: { kind: 'install', contract: 'FeedRegistry' },
      transaction_hash: transaction.hash,
      expires_at: expiresAt,
      file: first.out.path,
    })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: no step is written or sent while the last one can still be executed', async () => {
    using bench = await createBench()
    const first = outOf(bench, 'first')
    await install(await bench.open(first))
    const open = {
      code: 'preflight',
      reason: 'written',
      message: expect.stringContaining(`${first.out.path} has the transaction`),
    }
    expect(await errorOf(install(await bench.open(outOf(bench, 'second'))))).toMatchObject(open)
    expect(await errorOf(install(await bench.open()))).toMatchObject(open)
    expect(await errorOf(wire(await bench.open({ isDryRun: true })))).toMatchObject(open)
    expect(bench.chain.sent).toEqual([])
  })

  test('behavior: one that expired is written again', async () => {
    let now = START
    using bench = await createBench({ time: () => now })
    await install(await bench.open(outOf(bench, 'first')))
    now += 3 * 60 * 60_000
    const operation: Operation = await bench.open({ ...outOf(bench, 'second'), now: () => now })
    // The node makes a block that is past the expiry.
    await readBlockTimes(operation.rpc)
    expect(shortOf(await install(operation))[0]).toBe('install FeedRegistry: written')
  })

  test('error: the transaction failed; the next run writes it again', async () => {
    using bench = await createBench()
    const first = outOf(bench, 'first')
    await install(await bench.open({ ...first, payments: { ...(await bench.open()).payments, wasm: cheap } }))
    await executeFile(bench, first)
    expect(await errorOf(install(await bench.open(outOf(bench, 'second'))))).toMatchObject({
      code: 'transaction_failed',
    })
    expect((await bench.readFile())?.transactions).toMatchObject([{ error: 'Out of gas error' }])
    expect(shortOf(await install(await bench.open(outOf(bench, 'second'))))[0]).toBe(
      'install FeedRegistry: written',
    )
  })
})

const CSPR = 1_000_000_000n
const cheap = { FeedRegistry: 10n * CSPR, AttestationRegistry: 10n * CSPR, EligibilityGate: 10n * CSPR }

describe('upgrade --out', () => {
  test('default: an upgrade that was executed is not written again', async () => {
    using bench = await createBench({ installed: 'wired' })
    await writeWasm(bench.folder, 2)
    const wasmFolder = `${bench.folder.path}/`
    const first = outOf(bench, 'first')
    const run = async (out: object) => upgrade(await bench.open({ wasmFolder, ...out }), ['FeedRegistry'])
    expect(shortOf(await run(first))).toEqual(['upgrade FeedRegistry: written'])
    await executeFile(bench, first)
    expect(shortOf(await run(outOf(bench, 'second')))).toEqual(['upgrade FeedRegistry: executed'])
    expect(shortOf(await run(outOf(bench, 'second')))).toEqual(['upgrade FeedRegistry: done'])
  })
})
