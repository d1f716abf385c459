import { describe, expect, test } from 'bun:test'
import { chainspec } from '../../src/chainspec.ts'
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

/** Labels of the vectors whose result differs from the node's recording. */
const differing = (engine: Engine = execute, change = (vector: HostFunctionVector) => vector): string[] =>
  vectors
    .filter((vector) => !Bun.deepEquals(runVector(change(vector), engine), expectedOutcome(vector)))
    .map(({ label }) => label)

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
    const late = differing(execute, (vector) => ({ ...vector, block_time: vector.block_time + 1 }))
    expect(late).toEqual(['install + native events', 'caller stack in contract', 'session entry type'])
  })

  test('error: a different transaction hash is detected', () => {
    const other = differing(execute, (vector) => ({ ...vector, hash: '00'.repeat(32) }))
    expect(other).toContain('new_dictionary writes 8 bytes?')
  })

  test('error: a cost with a deviation of 1 mote is detected', () => {
    const { host_function_costs: costs } = chainspec.wasm.v1
    const random_bytes = { ...costs.random_bytes, cost: costs.random_bytes.cost + 1 }
    const v1 = { ...chainspec.wasm.v1, host_function_costs: { ...costs, random_bytes } }
    const changed = { ...chainspec, wasm: { ...chainspec.wasm, v1 } }
    expect(differing((request) => execute(request, changed))).toEqual(['hashes, random'])
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
    expect(withHostFunction(name, change, differing)).not.toEqual([])
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
