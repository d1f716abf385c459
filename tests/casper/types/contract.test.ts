import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DecodeError } from '../../../src/bytes/cursor.ts'
import { decodeContract } from '../../../src/casper/types/contract.ts'
import { assertTyped, jsonLike } from '../../bytes/decoding.ts'

const notAContract = new DecodeError('Contract', 'the stored value is not a contract')

describe('decodeContract', () => {
  test('default: named keys and the names of the entry points', () => {
    const stored = {
      Contract: {
        contract_package_hash: 'contract-package-00',
        named_keys: [
          { name: '__events', key: 'uref-01-007' },
          { name: '__proto__', key: 'uref-02-007' },
        ],
        entry_points: [{ name: 'init', args: [] }, { name: 'attest' }],
      },
    }
    expect(decodeContract(stored)).toEqual({
      namedKeys: new Map([
        ['__events', 'uref-01-007'],
        ['__proto__', 'uref-02-007'],
      ]),
      entryPoints: new Set(['init', 'attest']),
    })
  })

  test('behavior: a contract may have none of either', () => {
    expect(decodeContract({ Contract: { named_keys: [], entry_points: [] } })).toEqual({
      namedKeys: new Map(),
      entryPoints: new Set(),
    })
  })

  test('error: something else is stored', () => {
    const lists = [undefined, {}, [null], ['state'], [['state', 'uref']], [{ key: 'u' }], [{ name: 7 }]]
    const contracts = [
      ...lists.map((named_keys) => ({ Contract: { named_keys, entry_points: [] } })),
      ...lists.map((entry_points) => ({ Contract: { named_keys: [], entry_points } })),
      { Contract: { named_keys: [{ name: 'state', key: 7 }], entry_points: [] } },
    ]
    for (const stored of [undefined, null, [], {}, { CLValue: {} }, { Contract: {} }, ...contracts])
      expect(() => decodeContract(stored)).toThrow(notAContract)
  })

  test('behavior: any JSON gives a contract or a typed error', () => {
    const named = fc.array(jsonLike({ name: fc.string(), key: fc.string() }))
    const any = jsonLike({ Contract: jsonLike({ named_keys: named, entry_points: named }) })
    fc.assert(fc.property(any, (stored) => assertTyped(() => decodeContract(stored))))
  })
})
