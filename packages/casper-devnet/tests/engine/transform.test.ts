import { describe, expect, test } from 'bun:test'
import { encodeStoredValue, urefKey } from '@wattfeed/casper/types'
import { formatEffect, formatTransform, type Transform } from '../../src/engine/transform.ts'

const hash = 'ab'.repeat(32)
const uref = urefKey(Uint8Array.fromHex(`${hash}07`))
const stored = encodeStoredValue({ kind: 'CLValue', value: { clType: 'Unit', bytes: new Uint8Array() } })

describe('transforms', () => {
  const transforms: [Transform, unknown][] = [
    [{ kind: 'Identity' }, 'Identity'],
    [{ kind: 'Write', stored }, { Write: { CLValue: { cl_type: 'Unit', bytes: '', parsed: null } } }],
    [{ kind: 'AddUInt64', amount: 7n }, { AddUInt64: 7 }],
    [{ kind: 'AddUInt512', amount: 742_833_357n }, { AddUInt512: '742833357' }],
    [
      { kind: 'AddKeys', namedKeys: new Map([['name', uref]]) },
      { AddKeys: [{ name: 'name', key: `uref-${hash}-007` }] },
    ],
    [{ kind: 'Prune', key: uref }, { Prune: `uref-${hash}-000` }],
  ]
  test.each(transforms.map(([transform, json]) => [transform.kind, transform, json] as const))(
    'default: %s',
    (_, transform, json) => {
      expect(formatTransform(transform)).toEqual(json as object)
    },
  )

  test('behavior: the URef of an effect is formatted without its rights, a URef in a value with them', () => {
    expect(
      formatEffect({ key: uref, transform: { kind: 'AddKeys', namedKeys: new Map([['n', uref]]) } }),
    ).toEqual({
      key: `uref-${hash}-000`,
      kind: { AddKeys: [{ name: 'n', key: `uref-${hash}-007` }] },
    })
  })
})
