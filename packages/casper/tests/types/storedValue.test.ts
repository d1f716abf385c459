import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError, memberAt } from '@wattfeed/base'
import { readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { list, string, u8, u32, u512 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { urefKey } from '../../src/types/key.ts'
import {
  decodeStoredValue,
  encodeStoredValue,
  formatServedValue,
  formatStoredValue,
  readStoredValue,
  type StoredValue,
  type StoredValueJson,
} from '../../src/types/storedValue.ts'

function printed(hex: string): StoredValueJson {
  const cursor = createCursor(fromHex(hex), 'StoredValue')
  const value = readStoredValue(cursor)
  cursor.end()
  return formatStoredValue(value)
}

const hash = (byte: string): string => byte.repeat(32)
const items = (...hex: string[]): string => u32(hex.length) + hex.join('')
const uref = (byte: string, rights = 7): string => hash(byte) + u8(rights)

const entryPoint = (access: string, type = u8(1), name = 'f'): string =>
  `${string(name)}${string(name)}${items(`${string('x')}0d03`)}09${access}${type}`
const contract = (entryPoints: string): string =>
  `03${hash('aa')}${hash('bb')}${items(`${string('k')}02${uref('cc', 5)}`)}${entryPoints}${u32(1)}${u32(5)}${u32(8)}`
const contractPackage = (status: string): string =>
  `04${uref('aa')}${items(u32(2) + u32(9) + hash('bb'), u32(2) + u32(10) + hash('cc'))}` +
  `${items(u32(2) + u32(9))}${items(string('g') + items(uref('dd'), uref('ee', 0)))}${status}`

describe('readStoredValue and formatStoredValue', () => {
  test('default: a CLValue', () => {
    expect(printed(`00${list('07000000')}0e03`)).toEqual({
      CLValue: { cl_type: { List: 'U8' }, bytes: '07000000' },
    })
  })

  test('default: an Account', () => {
    const account = `01${hash('aa')}${items(`${string('k')}01${hash('bb')}`)}${uref('cc')}`
    expect<unknown>(
      printed(`${account}${items(hash('dd') + u8(5), hash('ee') + u8(6))}${u8(7)}${u8(8)}`),
    ).toEqual({
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
    })
  })

  test('default: a Contract', () => {
    const accesses = [u8(1), u8(2) + items(string('a'), string('b')), u8(3)]
    const access = ['Public', { Groups: ['a', 'b'] }, 'Template'] as const
    const types = [0, 1, 0x80]
    const entryPoints = accesses.map((each, index) => entryPoint(each, u8(types[index] ?? 0), `f${index}`))
    expect(printed(contract(items(...entryPoints)))).toEqual({
      Contract: {
        contract_package_hash: `contract-package-${hash('aa')}`,
        contract_wasm_hash: `contract-wasm-${hash('bb')}`,
        named_keys: [{ name: 'k', key: `uref-${hash('cc')}-005` }],
        entry_points: (['Caller', 'Called', 'Factory'] as const).map((type, index) => ({
          name: `f${index}`,
          args: [{ name: 'x', cl_type: { Option: 'U8' } }],
          ret: 'Unit',
          access: access[index] ?? 'Public',
          entry_point_type: type,
        })),
        protocol_version: '1.5.8',
      },
    })
  })

  test.each([
    ['Unlocked', u8(0)],
    ['Locked', u8(1)],
  ])('default: a ContractPackage, %s', (status, tag) => {
    expect(printed(contractPackage(tag))).toEqual({
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
      printed(`07${items(validator, `01${secp256k1}${ed25519}${u512(0n)}`, `0000${u512(1n)}`)}`),
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
    ['a kind of value', '05', new DecodeError('StoredValue', 'unsupported kind 5')],
    [
      'who may call',
      contract(items(entryPoint(u8(0)))),
      new DecodeError('EntryPointAccess', 'unknown tag 0'),
    ],
    [
      'who may call',
      contract(items(entryPoint(u8(4)))),
      new DecodeError('EntryPointAccess', 'unknown tag 4'),
    ],
    [
      'how to call',
      contract(items(entryPoint(u8(1), u8(2)))),
      new DecodeError('EntryPointType', 'unknown tag 2'),
    ],
    ['a lock', contractPackage(u8(2)), new DecodeError('ContractPackageStatus', 'unknown tag 2')],
    ['an allocation', `07${items(u8(3))}`, new DecodeError('SeigniorageAllocation', 'unknown tag 3')],
    ['a key’s algorithm', `07${items('0003')}`, new DecodeError('PublicKey', 'unknown tag 3')],
  ]
  test.each(unknown)('error: %s that is unknown', (_, hex, error) => {
    expect(() => printed(hex)).toThrow(error)
  })

  test('error: any bytes', () => {
    const anyStart = fc.constantFrom('', '00', '01', '03', '04', '07', contract(''), contractPackage(''))
    fc.assert(
      fc.property(anyStart, anyBytes, (start, bytes) => assertTyped(() => printed(start + bytes.toHex()))),
    )
  })
})

const hashBytes = (byte: number) => new Uint8Array(32).fill(byte)
const urefBytes = (byte: number) => Uint8Array.of(...hashBytes(byte), 7)
const hex = (byte: number) => hashBytes(byte).toHex()

const values: [StoredValue, unknown][] = [
  [
    { kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(7) } },
    { CLValue: { cl_type: 'U8', bytes: '07', parsed: 7 } },
  ],
  [
    {
      kind: 'Account',
      account: {
        accountHash: hashBytes(1),
        namedKeys: new Map([['b', urefKey(urefBytes(2))]]),
        mainPurse: urefBytes(3),
        associatedKeys: [{ accountHash: hashBytes(1), weight: 1 }],
        actionThresholds: { deployment: 1, keyManagement: 2 },
      },
    },
    {
      Account: {
        account_hash: `account-hash-${hex(1)}`,
        named_keys: [{ name: 'b', key: `uref-${hex(2)}-007` }],
        main_purse: `uref-${hex(3)}-007`,
        associated_keys: [{ account_hash: `account-hash-${hex(1)}`, weight: 1 }],
        action_thresholds: { deployment: 1, key_management: 2 },
      },
    },
  ],
  [{ kind: 'ContractWasm', wasm: Uint8Array.of(0, 97) }, { ContractWasm: { bytes: '0061' } }],
  [
    {
      kind: 'Contract',
      contract: {
        packageHash: hashBytes(1),
        wasmHash: hashBytes(2),
        namedKeys: new Map(),
        entryPoints: new Map([
          [
            'f',
            {
              name: 'f',
              args: [{ name: 'x', cl_type: { List: 'U8' } }],
              ret: 'Unit',
              access: { Groups: ['g'] },
              entry_point_type: 'Called',
            },
          ],
        ]),
        protocolVersion: [2, 0, 1],
      },
    },
    {
      Contract: {
        contract_package_hash: `contract-package-${hex(1)}`,
        contract_wasm_hash: `contract-wasm-${hex(2)}`,
        named_keys: [],
        entry_points: [
          {
            name: 'f',
            args: [{ name: 'x', cl_type: { List: 'U8' } }],
            ret: 'Unit',
            access: { Groups: ['g'] },
            entry_point_type: 'Called',
          },
        ],
        protocol_version: '2.0.1',
      },
    },
  ],
  [
    {
      kind: 'ContractPackage',
      contractPackage: {
        accessKey: urefBytes(1),
        versions: [
          { protocolVersionMajor: 2, contractVersion: 1, contractHash: hashBytes(2) },
          { protocolVersionMajor: 2, contractVersion: 2, contractHash: hashBytes(3) },
        ],
        disabledVersions: [{ protocolVersionMajor: 2, contractVersion: 1 }],
        groups: new Map([['g', [urefBytes(4), urefBytes(5)]]]),
        isLocked: false,
      },
    },
    {
      ContractPackage: {
        access_key: `uref-${hex(1)}-007`,
        versions: [
          { protocol_version_major: 2, contract_version: 1, contract_hash: `contract-${hex(2)}` },
          { protocol_version_major: 2, contract_version: 2, contract_hash: `contract-${hex(3)}` },
        ],
        disabled_versions: [[2, 1]],
        groups: [{ group_name: 'g', group_users: [`uref-${hex(4)}-007`, `uref-${hex(5)}-007`] }],
        lock_status: 'Unlocked',
      },
    },
  ],
  [
    {
      kind: 'EraInfo',
      eraInfo: {
        seigniorage_allocations: [
          { Validator: { validator_public_key: `01${hex(1)}`, amount: '5' } },
          {
            Delegator: {
              delegator_public_key: `0202${hex(2)}`,
              validator_public_key: `01${hex(1)}`,
              amount: '0',
            },
          },
        ],
      },
    },
    {
      EraInfo: {
        seigniorage_allocations: [
          { Validator: { validator_public_key: `01${hex(1)}`, amount: '5' } },
          {
            Delegator: {
              delegator_public_key: `0202${hex(2)}`,
              validator_public_key: `01${hex(1)}`,
              amount: '0',
            },
          },
        ],
      },
    },
  ],
  [
    { kind: 'MessageTopic', topic: { messageCount: 3, blockTimeMs: 1_795_171_222_939, topicName: 'EVENTS' } },
    { MessageTopic: { message_count: 3, blocktime: 1_795_171_222_939, topic_name: 'EVENTS' } },
  ],
  [{ kind: 'Message', checksum: hashBytes(9) }, { Message: `message-checksum-${hex(9)}` }],
  [{ kind: 'RawBytes', bytes: Uint8Array.of(1, 2) }, { RawBytes: '0102' }],
]

describe('stored values', () => {
  test.each(values.map(([stored, json]) => [stored.kind, stored, json] as const))(
    'default: %s',
    (_, stored, json) => {
      expect(formatServedValue(stored)).toEqual(Object(json))
      expect(decodeStoredValue(encodeStoredValue(stored))).toEqual(stored)
    },
  )

  test('behavior: names stay in the order of their UTF-8', () => {
    const names = ['b', '\u{1f600}', '\uffee', 'a', 'é', 'ab', '']
    const sorted = ['', 'a', 'ab', 'b', 'é', '\uffee', '\u{1f600}']
    const stored: StoredValue = {
      kind: 'Account',
      account: {
        accountHash: hashBytes(1),
        namedKeys: new Map(names.map((name) => [name, urefKey(urefBytes(2))])),
        mainPurse: urefBytes(3),
        associatedKeys: [],
        actionThresholds: { deployment: 1, keyManagement: 1 },
      },
    }
    const decoded = decodeStoredValue(encodeStoredValue(stored))
    expect(decoded.kind === 'Account' && [...decoded.account.namedKeys.keys()]).toEqual(sorted)
    expect(memberAt(formatServedValue(stored), 'Account', 'named_keys')).toEqual(
      sorted.map((name) => ({ name, key: `uref-${hex(2)}-007` })),
    )
  })

  test('behavior: a named key may be of any kind', () => {
    const era = Uint8Array.fromHex('050700000000000000')
    const stored: StoredValue = {
      kind: 'Contract',
      contract: {
        packageHash: hashBytes(1),
        wasmHash: hashBytes(2),
        namedKeys: new Map([['era', era]]),
        entryPoints: new Map(),
        protocolVersion: [2, 0, 0],
      },
    }
    const bytes = encodeStoredValue(stored)
    expect(decodeStoredValue(bytes)).toEqual(stored)
    for (const json of [formatServedValue(stored), printed(bytes.toHex())])
      expect(memberAt(json, 'Contract', 'named_keys')).toEqual([{ name: 'era', key: 'era-7' }])
  })

  test('behavior: encoding the node’s JSON gives the proven bytes', () => {
    const proved = readRecording('snapshot').flatMap(({ method, ...answer }) => {
      const result = 'result' in answer ? answer.result : undefined
      const proof = memberAt(result, 'merkle_proof')
      if (method !== 'query_global_state' || typeof proof !== 'string') return []
      return [{ printed: memberAt(result, 'stored_value'), bytes: provedValue(Uint8Array.fromHex(proof)) }]
    })
    expect(proved.length).toBeGreaterThan(3)
    for (const { printed, bytes } of proved) {
      const stored = decodeStoredValue(bytes)
      expect(formatServedValue(stored)).toEqual(Object(printed))
      expect(encodeStoredValue(stored)).toEqual(bytes)
    }
  })

  test.each(['', '05', '15', 'ff', '00', '0000000000', '0f00', '010000', '0a'])('error: bytes %p', (text) => {
    expect(() => decodeStoredValue(Uint8Array.fromHex(text))).toThrow(DecodeError)
  })

  test('error: truncated bytes, and trailing bytes', () => {
    for (const [stored] of values) {
      const bytes = encodeStoredValue(stored)
      for (let length = 0; length < bytes.length; length++)
        expect(() => decodeStoredValue(bytes.subarray(0, length))).toThrow(DecodeError)
      expect(() => decodeStoredValue(Uint8Array.of(...bytes, 0))).toThrow(DecodeError)
    }
  })
})

/** The value in a proof. A proof holds a count, the key, the value, and then the path to the root. */
function provedValue(proof: Uint8Array): Uint8Array {
  for (let end = 40; end <= proof.length; end++) {
    const value = readProvedValue(proof.subarray(0, end))
    if (value !== null) return value
  }
  throw new Error('the proof holds no value')
}

function readProvedValue(bytes: Uint8Array): Uint8Array | null {
  const cursor = createCursor(bytes, 'proof')
  cursor.u32()
  const keyBytes = cursor.u8() === 2 ? 33 : 32
  cursor.bytes(keyBytes)
  const value = cursor.rest()
  try {
    decodeStoredValue(value)
    return value
  } catch {
    return null
  }
}
