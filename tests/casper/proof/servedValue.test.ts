import { describe, expect, test } from 'bun:test'
import { MerkleProofError } from '../../../src/casper/proof/merkleProofError.ts'
import { assertServedValue } from '../../../src/casper/proof/servedValue.ts'
import { recordedProofs, verifyRecorded } from './recordedProofs.ts'

/** Copies of a value, each with one text or number in it changed, one list longer or one member away. */
function changes(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}0`]
  if (typeof value === 'number') return [value + 1]
  if (Array.isArray(value))
    return [
      [...value, null],
      ...value.flatMap((item, index) => changes(item).map((changed) => value.with(index, changed))),
    ]
  return Object.entries(Object(value)).flatMap(([name, item]) => [
    ...changes(item).map((changed) => ({ ...Object(value), [name]: changed })),
    Object.fromEntries(Object.entries(Object(value)).filter(([other]) => other !== name)),
  ])
}

const kinds = new Map(recordedProofs.map((proof) => [Object.keys(Object(proof.storedValue))[0] ?? '', proof]))

describe('assertServedValue', () => {
  test('default: what the recorded node served is what it proved', () => {
    for (const proof of recordedProofs) assertServedValue(proof.storedValue, verifyRecorded(proof), 'item')
  })

  test.each([...kinds])('error: any change of a served %s', (_, proof) => {
    const proven = verifyRecorded(proof)
    const changed = changes(proven)
    expect(changed.length).toBeGreaterThan(3)
    for (const served of [...changed, null, undefined, 7, [], {}])
      expect(() => assertServedValue(served, proven, 'item')).toThrow(
        new MerkleProofError('item', 'stored value', 'the value beside the proof is another one'),
      )
  })

  test('error: an object that looks like the list', () => {
    const list = { Account: { named_keys: [] } }
    const served = { Account: { named_keys: { length: 0 } } }
    expect(() => assertServedValue(served, list as never, 'item')).toThrow(MerkleProofError)
  })

  test('behavior: what no proof covers is not compared', () => {
    const proven = { CLValue: { cl_type: 'U8', bytes: '07' } } as const
    assertServedValue({ CLValue: { ...proven.CLValue, parsed: 8 } }, proven, 'item')
  })
})
