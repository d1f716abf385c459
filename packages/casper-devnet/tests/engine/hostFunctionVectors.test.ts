import { describe, expect, test } from 'bun:test'
import { chainspecs } from '../../src/chainspec.ts'
import { type Engine, execute } from '../../src/engine/execute.ts'
import type { HostFunction } from '../../src/engine/hostFunctions/hostFunction.ts'
import { hostFunctions } from '../../src/engine/hostFunctions/hostFunctions.ts'
import {
  expectedOutcome,
  type HostFunctionVector,
  readHostFunctionVectors,
  runVector,
} from './support/hostFunctionVectors.ts'

const vectors = readHostFunctionVectors()

/** Returns whether the result of a vector differs from the node's recording. */
const differs = (vector: HostFunctionVector, engine: Engine = execute, changed = vector): boolean =>
  !Bun.deepEquals(runVector(changed, engine), expectedOutcome(vector))

const labels = (chosen: readonly HostFunctionVector[]): string[] => chosen.map(({ label }) => label)

describe('the host functions', () => {
  test.each(vectors)('default: $label', (vector) => {
    expect(runVector(vector)).toEqual(expectedOutcome(vector))
  })

  test('behavior: all 28 vectors of the node are tested', () => {
    expect(vectors).toHaveLength(28)
  })
})

describe('the comparison', () => {
  test('error: a clock with a deviation of 1 ms is detected', () => {
    const late = vectors.filter((vector) =>
      differs(vector, execute, { ...vector, block_time: vector.block_time + 1 }),
    )
    expect(labels(late)).toEqual([
      'install + native events',
      'caller stack in contract',
      'session entry type',
    ])
  })

  test('error: a different transaction hash is detected', () => {
    const chosen = vectors.filter(({ label }) => label === 'new_dictionary writes 8 bytes?')
    expect(chosen.map((vector) => differs(vector, execute, { ...vector, hash: '00'.repeat(32) }))).toEqual([
      true,
    ])
  })

  test('error: a cost with a deviation of 1 mote is detected', () => {
    const chainspec = chainspecs['2.0.3']
    const { host_function_costs: costs } = chainspec.wasm.v1
    const random_bytes = { ...costs.random_bytes, cost: costs.random_bytes.cost + 1 }
    const v1 = { ...chainspec.wasm.v1, host_function_costs: { ...costs, random_bytes } }
    const changed = { ...chainspec, wasm: { ...chainspec.wasm, v1 } }
    const dearer = vectors.filter((vector) =>
      differs(vector, (request) => execute({ ...request, chainspec: changed })),
    )
    expect(labels(dearer)).toEqual(['hashes, random'])
  })

  test.each([
    ['casper_generic_hash', { run: () => 0 }],
    ['casper_has_key', { run: () => 0 }],
    ['casper_random_bytes', { run: () => 32 }],
    ['casper_revert', { run: () => undefined }],
    ['casper_emit_message', { run: () => 0 }],
    ['casper_create_contract_user_group', { run: () => 0 }],
    ['casper_load_caller_information', { cost: () => 9_999 }],
  ] satisfies [string, Partial<HostFunction>][])('error: a different %s is detected', (name, change) => {
    expect(withHostFunction(name, change, () => vectors.some((vector) => differs(vector)))).toBeTrue()
  })
})

/** Calls a function while a host function is replaced. */
function withHostFunction<T>(name: string, change: Partial<HostFunction>, work: () => T): T {
  const original = hostFunctions.get(name)
  if (original === undefined || !(hostFunctions instanceof Map)) throw new Error(`there is no ${name}`)
  hostFunctions.set(name, { ...original, ...change })
  try {
    return work()
  } finally {
    hostFunctions.set(name, original)
  }
}
