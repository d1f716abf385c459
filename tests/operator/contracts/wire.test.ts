import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { builtContract } from 'wattfeed/testing/installRegistries'
import { wire } from '../../../src/operator/contracts/wire.ts'
import { type Bench, createBench } from '../../agent/support/operation.ts'
import { keepingSeed, oldContract, withoutEntryPoint } from './contractsChain.ts'

const unwired = (): Promise<Bench> => createBench({ installed: 'unwired' })

const both = ['FeedRegistry.set_eligibility_gate', 'AttestationRegistry.set_feed_registry']
const whats = async (bench: Bench): Promise<string[]> => (await bench.chain.calls()).map(({ what }) => what)

describe('wire', () => {
  test('default: wires both, only once', async () => {
    using bench = await unwired()
    const first = await wire(await bench.open())
    const second = await wire(await bench.open())
    expect([first, second].map((reports) => reports.map(({ step, state }) => [step, state]))).toEqual([
      both.map((step) => [step, 'executed']),
      both.map((step) => [step, 'done']),
    ])
    expect(await whats(bench)).toEqual(both)
  })

  test('behavior: only wrong addresses are set', async () => {
    using bench = await unwired()
    await wire(await bench.open())
    await bench.chain.wire('FeedRegistry', '77'.repeat(32))
    await wire(await bench.open())
    expect(await whats(bench)).toEqual([...both, both[0] ?? ''])
  })

  test.each([
    ['another seed', `01${'77'.repeat(32)}`],
    ['no seed', '00'],
  ])('behavior: an AttestationRegistry that has %s is wired again', async (_, kept) => {
    using bench = await unwired()
    await wire(await bench.open())
    bench.chain.show(keepingSeed(kept))
    await wire(await bench.open())
    expect(await whats(bench)).toEqual([...both, both[1] ?? ''])
  })

  test('behavior: contracts of before keep no seed, and can be wired', async () => {
    using bench = await createBench()
    const { signer } = await bench.open()
    for (const contract of [
      await builtContract('FeedRegistry', signer.accountHash),
      await oldContract('AttestationRegistry', signer.accountHash),
      await builtContract('EligibilityGate', signer.accountHash),
    ])
      await bench.chain.install(contract)
    await wire(await bench.open())
    expect((await wire(await bench.open())).map(({ state }) => state)).toEqual(['done', 'done'])
    expect(await whats(bench)).toEqual(both)
  })

  test('behavior: a dry run sends nothing; the settings determine the payment of a call', async () => {
    using bench = await unwired()
    const { payments } = await bench.open()
    const operation = await bench.open({ isDryRun: true, payments: { ...payments, call: 3_000_000_000n } })
    expect((await wire(operation)).map(({ state, payment_motes }) => [state, payment_motes])).toEqual([
      ['planned', '3000000000'],
      ['planned', '3000000000'],
    ])
    expect([bench.chain.sent, await bench.readFile()]).toEqual([[], null])
  })

  test('error: contracts of another owner', async () => {
    using bench = await createBench()
    const { signer } = await bench.open()
    const { accountHash } = bench.chain.stranger
    await bench.chain.install(await builtContract('FeedRegistry', signer.accountHash))
    await bench.chain.install(await builtContract('AttestationRegistry', accountHash))
    await bench.chain.install(await builtContract('EligibilityGate', signer.accountHash))
    const error = await errorOf(wire(await bench.open()))
    expect([error.message, bench.chain.sent]).toEqual([
      expect.stringContaining(`AttestationRegistry belongs to ${accountHash}`),
      [],
    ])
  })

  test('error: a FeedRegistry without the entry point', async () => {
    using bench = await unwired()
    bench.chain.show(withoutEntryPoint('state_seed'))
    const error = await errorOf(wire(await bench.open()))
    expect([error.message, bench.chain.sent]).toEqual([
      expect.stringContaining('FeedRegistry has no state_seed'),
      [],
    ])
  })

  test('error: a contract without the entry point', async () => {
    using bench = await createBench({ installed: 'old' })
    const error = await errorOf(wire(await bench.open()))
    expect(error.message).toBe('FeedRegistry has no set_eligibility_gate; upgrade it first')
  })

  test('error: a payment below the minimum', async () => {
    using bench = await unwired()
    const { payments } = await bench.open()
    const operation = await bench.open({ payments: { ...payments, call: 2_000_000_000n } })
    expect([(await errorOf(wire(operation))).code, bench.chain.sent]).toEqual(['no_lane', []])
  })
})
