import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { anyBytes, assertTyped, fromHex, jsonLike } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { clValueBytes, decodeContract, newestContractKey } from '../../src/types/storedValueJson.ts'

describe('clValueBytes', () => {
  test('default', () => {
    const stored = { CLValue: { cl_type: { List: 'U8' }, bytes: '0400000001020304', parsed: [1, 2, 3, 4] } }
    expect(clValueBytes(stored, 'Thing')).toEqual(fromHex('0400000001020304'))
  })

  const others = [
    undefined,
    null,
    'CLValue',
    [],
    {},
    { Contract: {} },
    { CLValue: null },
    { CLValue: { bytes: 7 } },
    { CLValue: { bytes: [4, 0, 0, 0] } },
  ]
  test('error: a value of another kind is stored', () => {
    for (const stored of others)
      expect(() => clValueBytes(stored, 'Thing')).toThrow(
        new DecodeError('Thing', 'the stored value is not a CLValue'),
      )
  })

  test('error: its bytes are not hex', () => {
    expect(() => clValueBytes({ CLValue: { bytes: '0g' } }, 'Thing')).toThrow(
      new DecodeError('Thing', 'expected hex'),
    )
  })

  test('behavior: written values are read back', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const stored = { CLValue: { bytes: Buffer.from(bytes).toString('hex') } }
        expect(clValueBytes(stored, 'Thing')).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('behavior: any JSON gives bytes or a typed error', () => {
    const any = jsonLike({ CLValue: jsonLike({ bytes: fc.string() }) })
    fc.assert(fc.property(any, (stored) => assertTyped(() => clValueBytes(stored, 'Thing'))))
  })
})

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

  test('error: a value of another kind is stored', () => {
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

const hashOf = (major: number, minor: number): string => `${major}${minor}`.padStart(64, '0')

const version = (major: number, minor: number): object => ({
  protocol_version_major: major,
  contract_version: minor,
  contract_hash: `contract-${hashOf(major, minor)}`,
})

const packageOf = (versions: unknown, disabled: unknown = []): object => ({
  ContractPackage: { access_key: 'uref-00-007', versions, disabled_versions: disabled, groups: [] },
})

describe('newestContractKey', () => {
  test('default: the newest version', () => {
    expect(newestContractKey(packageOf([version(2, 1)]))).toBe(`hash-${hashOf(2, 1)}`)
  })

  test('behavior: the protocol counts before the version, and both count as numbers', () => {
    const versions = [version(1, 10), version(1, 9), version(2, 1), version(1, 2)]
    expect(newestContractKey(packageOf(versions))).toBe(`hash-${hashOf(2, 1)}`)
    expect(newestContractKey(packageOf(versions.slice(0, 2).reverse()))).toBe(`hash-${hashOf(1, 10)}`)
  })

  test('behavior: a disabled version is passed over, as a pair or as an object', () => {
    const versions = [version(1, 1), version(1, 2), version(2, 1)]
    expect(newestContractKey(packageOf(versions, [[2, 1]]))).toBe(`hash-${hashOf(1, 2)}`)
    const object = { protocol_version_major: 2, contract_version: 1 }
    expect(newestContractKey(packageOf(versions, [object, [1, 2]]))).toBe(`hash-${hashOf(1, 1)}`)
  })

  test('behavior: null if all versions are disabled, or there are none', () => {
    expect(newestContractKey(packageOf([version(1, 1)], [[1, 1]]))).toBeNull()
    expect(newestContractKey(packageOf([]))).toBeNull()
  })

  test('behavior: 1.12 is not 11.2', () => {
    expect(newestContractKey(packageOf([version(1, 12)], [[11, 2]]))).toBe(`hash-${hashOf(1, 12)}`)
  })

  test('behavior: a hash without its prefix is read too', () => {
    const bare = { protocol_version_major: 1, contract_version: 1, contract_hash: hashOf(1, 1) }
    expect(newestContractKey(packageOf([bare]))).toBe(`hash-${hashOf(1, 1)}`)
  })

  test('error: the disabled versions are not a list: treating it as empty would enable them', () => {
    for (const disabled of [undefined, null, {}, '[[1, 1]]'])
      expect(() =>
        newestContractKey({ ContractPackage: { versions: [version(1, 1)], disabled_versions: disabled } }),
      ).toThrow(new DecodeError('ContractPackage', 'a list is missing'))
  })

  test('error: a value of another kind is stored', () => {
    const others = [undefined, null, [], {}, { Contract: {} }, { ContractPackage: [] }]
    for (const stored of [...others, packageOf(null), packageOf({})])
      expect(() => newestContractKey(stored)).toThrow(
        new DecodeError('ContractPackage', 'the stored value is not a contract package'),
      )
  })

  test('error: a version, or a disabled one, is neither an object nor a pair', () => {
    const error = new DecodeError('ContractPackage', 'expected each version to be an object or a pair')
    for (const broken of [null, 7, 'v1', {}, [1], ['1', '2'], { protocol_version_major: 1 }]) {
      expect(() => newestContractKey(packageOf([broken]))).toThrow(error)
      expect(() => newestContractKey(packageOf([version(1, 1)], [broken]))).toThrow(error)
    }
  })

  test('error: a version has no contract hash', () => {
    const hex = '0'.repeat(64)
    for (const hash of [
      undefined,
      7,
      'contract-',
      `contract-${'A'.repeat(64)}`,
      `entity-${hex}`,
      `${hex}0`,
    ]) {
      const broken = { protocol_version_major: 1, contract_version: 1, contract_hash: hash }
      expect(() => newestContractKey(packageOf([broken]))).toThrow(
        new DecodeError('ContractPackage', 'a version has no contract hash'),
      )
    }
  })

  test('behavior: the newest enabled version of any package', () => {
    const pair = fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 }))
    const pairs = fc.uniqueArray(pair, { selector: String })
    fc.assert(
      fc.property(pairs, pairs, (versions, disabled) => {
        const enabled = versions.filter((each) => !disabled.some((other) => String(other) === String(each)))
        const newest = enabled.reduce<[number, number] | null>(
          (best, each) => (best && best[0] * 100 + best[1] > each[0] * 100 + each[1] ? best : each),
          null,
        )
        const stored = packageOf(
          versions.map((each) => version(...each)),
          disabled,
        )
        expect(newestContractKey(stored)).toBe(newest && `hash-${hashOf(...newest)}`)
      }),
    )
  })

  test('behavior: any JSON gives a key, null or a typed error', () => {
    const numbers = { protocol_version_major: fc.nat(), contract_version: fc.nat() }
    const hash = fc.constant(`contract-${hashOf(1, 1)}`)
    const any = jsonLike({
      ContractPackage: jsonLike({
        versions: fc.array(jsonLike({ ...numbers, contract_hash: hash })),
        disabled_versions: fc.array(fc.oneof(jsonLike(numbers), fc.tuple(fc.nat(), fc.nat()))),
      }),
    })
    fc.assert(fc.property(any, (stored) => assertTyped(() => newestContractKey(stored))))
  })
})
