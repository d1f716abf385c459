import { describe, expect, test } from 'bun:test'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { readContractWasm } from '@wattfeed/casper-devnet/testing/contractWasm'
import { createEngineChain, type EngineChain } from '@wattfeed/casper-devnet/testing/engine/engineChain'
import {
  callWith,
  encodeSession,
  type SessionModule,
} from '@wattfeed/casper-devnet/testing/engine/sessionModule'
import fc from 'fast-check'
import type { ExecutionResult } from '../../../packages/casper-devnet/src/engine/execute.ts'
import { hostFunctions } from '../../../packages/casper-devnet/src/engine/hostFunctions/hostFunctions.ts'
import { installRegistries, type Registries, WTI } from './support/registries.ts'

const [owner, alice, bob] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

/** A failed transaction changed nothing and used no more gas than allowed. Any other one committed its reported writes. */
function assertSound(chain: EngineChain, gasLimit: bigint, execute: () => ExecutionResult): void {
  const before = new Map(chain.state)
  const { error, consumed, effects, writes, messages, returned } = execute()
  expect(consumed >= 0n && consumed <= gasLimit).toBeTrue()
  if (error === null) {
    expect(new Map([...before, ...writes].filter(([, value]) => value !== null))).toEqual(chain.state)
    return
  }
  expect({ effects, writes, messages, returned }).toEqual({
    effects: [],
    writes: new Map(),
    messages: [],
    returned: null,
  })
  expect(chain.state).toEqual(before)
}

describe('any calls of host functions', () => {
  const all = [...hostFunctions].map(([name, { parameters, hasResult }]) => ({ name, parameters, hasResult }))
  const imports: NonNullable<SessionModule['imports']> = all.map(({ name, parameters, hasResult }) => [
    name,
    parameters,
    hasResult ? 1 : 0,
  ])
  /** A sequence of valid encodings, so that some pointers refer to a value that a function accepts. */
  const data = Uint8Array.from([
    ...[3, 0, 0, 0, 97, 98, 99],
    ...encodeClValue({ clType: 'U8', bytes: Uint8Array.of(7) }),
    ...[2, ...new Uint8Array(32).fill(9), 7],
    ...[1, ...new Uint8Array(32).fill(5)],
    ...new Uint8Array(64),
  ])
  const pointer = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(0, 7, 17, 51, 84, 100, 200, 400, 1_000) },
    { weight: 1, arbitrary: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) },
  )
  const size = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(0, 1, 4, 7, 10, 32, 33, 34, 64) },
    { weight: 1, arbitrary: pointer },
  )
  const anyCall = fc
    .nat({ max: all.length - 1 })
    .chain((index) =>
      fc.record({ index: fc.constant(index), args: anyArguments(all[index]?.parameters ?? 0) }),
    )
  const anyArguments = (count: number) =>
    fc.tuple(...Array.from({ length: count }, (_, place) => (place % 2 === 0 ? pointer : size)))
  const gasLimit = 100_000_000_000n

  test('behavior: a failed execution has no effect, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 12 }), (calls) => {
        const code = calls.flatMap(({ index, args }) => [
          ...callWith(index, ...args),
          ...(all[index]?.hasResult ? [0x1a] : []),
        ])
        const chain = createEngineChain()
        chain.addAccount(owner)
        const wasm = encodeSession({ imports, code, data })
        const target = { kind: 'session', wasm, isInstallOrUpgrade: true } as const
        assertSound(chain, gasLimit, () => chain.execute({ initiator: owner, target, gasLimit }))
      }),
      { numRuns: 150 },
    )
  })
})

describe('any bytes for a module', () => {
  const wasm = readContractWasm('AttestationRegistry')
  const change = fc.record({ offset: fc.nat({ max: wasm.length - 1 }), byte: fc.nat({ max: 255 }) })
  const gasLimit = 200_000_000_000n

  test('error: a module with some other bytes fails or runs, and nothing is thrown', () => {
    const chain = createEngineChain()
    chain.addAccount(owner)
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = wasm.slice()
        for (const { offset, byte } of changes) changed[offset] = byte
        const target = { kind: 'session', wasm: changed, isInstallOrUpgrade: true } as const
        assertSound(chain, gasLimit, () => chain.execute({ initiator: owner, target, gasLimit }))
      }),
      { numRuns: 30 },
    )
  })

  test('error: a truncated module fails, and nothing is thrown', () => {
    const chain = createEngineChain()
    chain.addAccount(owner)
    fc.assert(
      fc.property(fc.nat({ max: wasm.length - 1 }), (length) => {
        const target = { kind: 'session', wasm: wasm.slice(0, length), isInstallOrUpgrade: true } as const
        const { error } = chain.execute({ initiator: owner, target, gasLimit })
        expect(error).not.toBeNull()
      }),
      { numRuns: 20 },
    )
  })
})

describe('any calls of our contracts', () => {
  const feedId = fc.constantFrom(WTI, WTI.replace('WTI', 'BRENT'), 'no feed', '')
  const caller = fc.constantFrom(owner, alice, bob)
  const amount = fc.bigInt({ min: 0n, max: 2n ** 512n - 1n })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('register' as const), caller, feedId }),
    fc.record({ kind: fc.constant('attest' as const), caller, feedId, amount }),
    fc.record({ kind: fc.constant('attestMany' as const), caller, feedId, amount }),
    fc.record({ kind: fc.constant('upgrade' as const), caller }),
  )
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  function take(registries: Registries, each: Step): ExecutionResult {
    switch (each.kind) {
      case 'register':
        return registries.register(each.caller, each.feedId)
      case 'attest':
        return registries.attest(each.caller, each.feedId, each.amount)
      case 'attestMany':
        return registries.attestMany(each.caller, [
          [each.feedId, each.amount],
          [WTI, each.amount],
        ])
      case 'upgrade':
        return registries.upgrade(each.caller, 'FeedRegistry')
    }
  }

  test('behavior: a failed call has no effect', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const registries = installRegistries(createEngineChain(), owner)
        registries.wire()
        for (const account of [alice, bob]) registries.chain.addAccount(account)
        for (const each of steps)
          assertSound(registries.chain, 900_000_000_000n, () => take(registries, each))
      }),
      { numRuns: 12 },
    )
  })

  test('behavior: the same transactions give the same state, effects and gas', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const runAll = () => {
          const registries = installRegistries(createEngineChain(), owner)
          registries.wire()
          for (const account of [alice, bob]) registries.chain.addAccount(account)
          return { results: steps.map((each) => take(registries, each)), state: registries.chain.state }
        }
        expect(runAll()).toEqual(runAll())
      }),
      { numRuns: 5 },
    )
  })
})
