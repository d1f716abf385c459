import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCursor, DecodeError } from '../../../src/bytes/cursor.ts'
import { readStoredValue, type StoredValue } from '../../../src/casper/types/storedValue.ts'
import { anyBytes, assertTyped, fromHex } from '../../bytes/decoding.ts'
import { list, string, u8, u32, u512 } from '../../support/bytesrepr.ts'

function storedValue(hex: string): StoredValue {
  const cursor = createCursor(fromHex(hex), 'StoredValue')
  const value = readStoredValue(cursor)
  cursor.end()
  return value
}

const hash = (byte: string): string => byte.repeat(32)
const items = (...hex: string[]): string => u32(hex.length) + hex.join('')
const uref = (byte: string, rights = 7): string => hash(byte) + u8(rights)

const entryPoint = (access: string, type = u8(1)): string =>
  `${string('f')}${string('f')}${items(`${string('x')}0d03`)}09${access}${type}`
const contract = (entryPoints: string): string =>
  `03${hash('aa')}${hash('bb')}${items(`${string('k')}02${uref('cc', 5)}`)}${entryPoints}${u32(1)}${u32(5)}${u32(8)}`
const contractPackage = (status: string): string =>
  `04${uref('aa')}${items(u32(2) + u32(9) + hash('bb'), u32(2) + u32(10) + hash('cc'))}` +
  `${items(u32(2) + u32(9))}${items(string('g') + items(uref('dd'), uref('ee', 0)))}${status}`

describe('readStoredValue', () => {
  test('default: a CLValue', () => {
    expect(storedValue(`00${list('07000000')}0e03`)).toEqual({
      CLValue: { cl_type: { List: 'U8' }, bytes: '07000000' },
    })
  })

  test('default: an Account', () => {
    const account = `01${hash('aa')}${items(`${string('k')}01${hash('bb')}`)}${uref('cc')}`
    expect(storedValue(`${account}${items(hash('dd') + u8(5), hash('ee') + u8(6))}${u8(7)}${u8(8)}`)).toEqual(
      {
        Account: {
          account_hash: `account-hash-${hash('aa')}`,
          named_keys: [{ name: 'k', key: `hash-${hash('bb')}` }],
          main_purse: `uref-${hash('cc')}-007`,
          associated_keys: [
            { account_hash: `account-hash-${hash('dd')}`, weight: 5 },
            { account_hash: `account-hash-${hash('ee')}`, weight: 6 },
          ],
          action_thresholds: { deployment: 7, key_management: 8 },
        },
      },
    )
  })

  test('default: a Contract', () => {
    const accesses = [u8(1), u8(2) + items(string('a'), string('b')), u8(3)]
    const access = ['Public', { Groups: ['a', 'b'] }, 'Template']
    expect(storedValue(contract(items(...accesses.map((each, type) => entryPoint(each, u8(type))))))).toEqual(
      {
        Contract: {
          contract_package_hash: `contract-package-${hash('aa')}`,
          contract_wasm_hash: `contract-wasm-${hash('bb')}`,
          named_keys: [{ name: 'k', key: `uref-${hash('cc')}-005` }],
          entry_points: ['Caller', 'Called', 'Factory'].map((type, index) => ({
            name: 'f',
            args: [{ name: 'x', cl_type: { Option: 'U8' } }],
            ret: 'Unit',
            access: access[index] ?? '',
            entry_point_type: type,
          })),
          protocol_version: '1.5.8',
        },
      },
    )
  })

  test.each([
    ['Unlocked', u8(0)],
    ['Locked', u8(1)],
  ])('default: a ContractPackage, %s', (status, tag) => {
    expect(storedValue(contractPackage(tag))).toEqual({
      ContractPackage: {
        access_key: `uref-${hash('aa')}-007`,
        versions: [
          { protocol_version_major: 2, contract_version: 9, contract_hash: `contract-${hash('bb')}` },
          { protocol_version_major: 2, contract_version: 10, contract_hash: `contract-${hash('cc')}` },
        ],
        disabled_versions: [[2, 9]],
        groups: [{ group_name: 'g', group_users: [`uref-${hash('dd')}-007`, `uref-${hash('ee')}-000`] }],
        lock_status: status,
      },
    })
  })

  test('default: EraInfo, with keys of every algorithm', () => {
    const ed25519 = `01${hash('aa')}`
    const secp256k1 = `02${hash('bb')}bb`
    const validator = `00${ed25519}${u512(2n ** 70n)}`
    expect(
      storedValue(`07${items(validator, `01${secp256k1}${ed25519}${u512(0n)}`, `0000${u512(1n)}`)}`),
    ).toEqual({
      EraInfo: {
        seigniorage_allocations: [
          { Validator: { validator_public_key: ed25519, amount: String(2n ** 70n) } },
          { Delegator: { delegator_public_key: secp256k1, validator_public_key: ed25519, amount: '0' } },
          { Validator: { validator_public_key: '00', amount: '1' } },
        ],
      },
    })
  })

  const unknown: [string, string, DecodeError][] = [
    ['a kind of value', '02', new DecodeError('StoredValue', 'tag 2 is unknown')],
    [
      'who may call',
      contract(items(entryPoint(u8(0)))),
      new DecodeError('EntryPointAccess', 'tag 0 is unknown'),
    ],
    [
      'who may call',
      contract(items(entryPoint(u8(4)))),
      new DecodeError('EntryPointAccess', 'tag 4 is unknown'),
    ],
    [
      'how to call',
      contract(items(entryPoint(u8(1), u8(3)))),
      new DecodeError('EntryPointType', 'tag 3 is unknown'),
    ],
    ['a lock', contractPackage(u8(2)), new DecodeError('ContractPackageStatus', 'tag 2 is unknown')],
    ['an allocation', `07${items(u8(2))}`, new DecodeError('SeigniorageAllocation', 'tag 2 is unknown')],
    ['a key’s algorithm', `07${items('0003')}`, new DecodeError('PublicKey', 'tag 3 is unknown')],
  ]
  test.each(unknown)('error: %s that is unknown', (_, hex, error) => {
    expect(() => storedValue(hex)).toThrow(error)
  })

  test('error: any bytes', () => {
    const anyStart = fc.constantFrom('', '00', '01', '03', '04', '07', contract(''), contractPackage(''))
    fc.assert(
      fc.property(anyStart, anyBytes, (start, bytes) =>
        assertTyped(() => storedValue(start + bytes.toHex())),
      ),
    )
  })
})
