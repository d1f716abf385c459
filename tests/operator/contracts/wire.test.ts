import { describe, expect, test } from 'bun:test'
import { wire } from '../../../src/operator/contracts/wire.ts'
import { contractNames } from '../../../src/registry/installation.ts'
import { oldEntryPoints } from '../../agent/support/contractChain.ts'
import { type Bench, createBench } from '../../agent/support/operation.ts'
import { errorOf } from '../../support/errorOf.ts'

async function unwired(options: Parameters<typeof createBench>[0] = {}): Promise<Bench> {
  const bench = await createBench(options)
  for (const name of contractNames) bench.chain.preinstall(name)
  return bench
}

const both = ['FeedRegistry.set_eligibility_gate', 'AttestationRegistry.set_feed_registry']
const whats = (bench: Bench): string[] => bench.chain.calls.map(({ what }) => what)

describe('wire', () => {
  test('default: tells both, and only once', async () => {
    using bench = await unwired()
    const first = await wire(await bench.open())
    const second = await wire(await bench.open())
    expect([first, second].map((reports) => reports.map(({ step, state }) => [step, state]))).toEqual([
      both.map((step) => [step, 'executed']),
      both.map((step) => [step, 'done']),
    ])
    expect(whats(bench)).toEqual(both)
  })

  test('behavior: only what is wrong is set', async () => {
    using bench = await unwired()
    await wire(await bench.open())
    bench.chain.contracts.get('FeedRegistry')?.fields.set(6, `01${'77'.repeat(32)}`)
    await wire(await bench.open())
    expect(whats(bench)).toEqual([...both, both[0] ?? ''])
  })

  test.each([
    ['another seed', `01${'77'.repeat(32)}`],
    ['no seed', '00'],
  ])('behavior: an AttestationRegistry that keeps %s is told again', async (_, kept) => {
    using bench = await unwired()
    await wire(await bench.open())
    bench.chain.contracts.get('AttestationRegistry')?.fields.set(7, kept)
    await wire(await bench.open())
    expect(whats(bench)).toEqual([...both, both[1] ?? ''])
  })

  test('behavior: contracts of before keep no seed, and can be wired', async () => {
    using bench = await createBench()
    for (const name of contractNames) bench.chain.preinstall(name, [oldEntryPoints[name]])
    await wire(await bench.open())
    expect((await wire(await bench.open())).map(({ state }) => state)).toEqual(['done', 'done'])
    expect(whats(bench)).toEqual(both)
  })

  test('behavior: a dry run sends nothing; a call pays what the settings say', async () => {
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
    using bench = await unwired()
    bench.chain.contracts.get('AttestationRegistry')?.fields.set(1, `00${'77'.repeat(32)}`)
    const error = await errorOf(wire(await bench.open()))
    expect([error.message, bench.chain.sent]).toEqual([
      expect.stringContaining(`AttestationRegistry belongs to account-hash-${'77'.repeat(32)}`),
      [],
    ])
  })

  test('error: a FeedRegistry that cannot be asked', async () => {
    using bench = await createBench()
    bench.chain.preinstall('FeedRegistry', [oldEntryPoints.FeedRegistry])
    bench.chain.preinstall('AttestationRegistry')
    bench.chain.preinstall('EligibilityGate')
    const error = await errorOf(wire(await bench.open()))
    expect([error.message, bench.chain.sent]).toEqual([
      expect.stringContaining('FeedRegistry has no state_seed'),
      [],
    ])
  })

  test('error: a contract without the entry point', async () => {
    using bench = await createBench()
    bench.chain.preinstall('FeedRegistry', [['register_feed', 'state_seed']])
    bench.chain.preinstall('AttestationRegistry')
    bench.chain.preinstall('EligibilityGate')
    const error = await errorOf(wire(await bench.open()))
    expect(error.message).toBe('FeedRegistry has no set_eligibility_gate; upgrade it first')
  })

  test('error: a payment below the least', async () => {
    using bench = await unwired()
    const { payments } = await bench.open()
    const operation = await bench.open({ payments: { ...payments, call: 2_000_000_000n } })
    expect([(await errorOf(wire(operation))).code, bench.chain.sent]).toEqual(['no_lane', []])
  })
})
