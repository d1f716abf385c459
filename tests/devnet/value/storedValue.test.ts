import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '../../../src/bytes/cursor.ts'
import { member, readExchanges, recordingFolder } from '../../../src/demo/recordedNode.ts'
import { urefKey } from '../../../src/devnet/value/key.ts'
import {
  decodeStoredValue,
  encodeStoredValue,
  type StoredValue,
  storedValueJson,
} from '../../../src/devnet/value/storedValue.ts'

const hash = (byte: number) => new Uint8Array(32).fill(byte)
const uref = (byte: number) => Uint8Array.of(...hash(byte), 7)
const hex = (byte: number) => hash(byte).toHex()

const values: [StoredValue, unknown][] = [
  [
    { kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(7) } },
    { CLValue: { cl_type: 'U8', bytes: '07', parsed: 7 } },
  ],
  [
    {
      kind: 'Account',
      account: {
        accountHash: hash(1),
        namedKeys: new Map([['b', urefKey(uref(2))]]),
        mainPurse: uref(3),
        associatedKeys: [{ accountHash: hash(1), weight: 1 }],
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
        packageHash: hash(1),
        wasmHash: hash(2),
        namedKeys: new Map(),
        entryPoints: new Map([
          [
            'f',
            {
              name: 'f',
              args: [{ name: 'x', clType: { List: 'U8' } }],
              ret: 'Unit',
              access: { Groups: ['g'] },
              entryPointType: 'Called',
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
        accessKey: uref(1),
        versions: [
          { protocolVersionMajor: 2, contractVersion: 1, contractHash: hash(2) },
          { protocolVersionMajor: 2, contractVersion: 2, contractHash: hash(3) },
        ],
        disabledVersions: [{ protocolVersionMajor: 2, contractVersion: 1 }],
        groups: new Map([['g', [uref(4), uref(5)]]]),
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
      eraInfo: [
        { delegator: null, validator: Uint8Array.of(1, ...hash(1)), amountMotes: 5n },
        {
          delegator: Uint8Array.of(2, 2, ...hash(2)),
          validator: Uint8Array.of(1, ...hash(1)),
          amountMotes: 0n,
        },
      ],
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
  [{ kind: 'Message', checksum: hash(9) }, { Message: `message-checksum-${hex(9)}` }],
  [{ kind: 'RawBytes', bytes: Uint8Array.of(1, 2) }, { RawBytes: '0102' }],
]

describe('stored values', () => {
  test.each(values.map(([stored, json]) => [stored.kind, stored, json] as const))(
    'default: %s',
    (_, stored, json) => {
      expect(storedValueJson(stored)).toEqual(Object(json))
      expect(decodeStoredValue(encodeStoredValue(stored))).toEqual(stored)
    },
  )

  test('behavior: names are kept in the order of their UTF-8', () => {
    const names = ['b', '\u{1f600}', '\uffee', 'a', 'é', 'ab', '']
    const sorted = ['', 'a', 'ab', 'b', 'é', '\uffee', '\u{1f600}']
    const stored: StoredValue = {
      kind: 'Account',
      account: {
        accountHash: hash(1),
        namedKeys: new Map(names.map((name) => [name, urefKey(uref(2))])),
        mainPurse: uref(3),
        associatedKeys: [],
        actionThresholds: { deployment: 1, keyManagement: 1 },
      },
    }
    const decoded = decodeStoredValue(encodeStoredValue(stored))
    expect(decoded.kind === 'Account' && [...decoded.account.namedKeys.keys()]).toEqual(sorted)
    expect(member(member(storedValueJson(stored), 'Account'), 'named_keys')).toEqual(
      sorted.map((name) => ({ name, key: `uref-${hex(2)}-007` })),
    )
  })

  test('behavior: the bytes that a node proved are those that are made of what it printed', () => {
    const proved = readExchanges(`${recordingFolder}snapshot.jsonl`).flatMap(({ method, ...answer }) => {
      const result = 'result' in answer ? answer.result : undefined
      const proof = member(result, 'merkle_proof')
      if (method !== 'query_global_state' || typeof proof !== 'string') return []
      return [{ printed: member(result, 'stored_value'), bytes: provedValue(Uint8Array.fromHex(proof)) }]
    })
    expect(proved.length).toBeGreaterThan(3)
    for (const { printed, bytes } of proved) {
      const stored = decodeStoredValue(bytes)
      expect(storedValueJson(stored)).toEqual(Object(printed))
      expect(encodeStoredValue(stored)).toEqual(bytes)
    }
  })

  test.each(['', '05', '15', 'ff', '00', '0000000000', '0f00', '010000', '0a'])('error: bytes %p', (text) => {
    expect(() => decodeStoredValue(Uint8Array.fromHex(text))).toThrow(DecodeError)
  })

  test('error: every end that comes early, and every byte too many', () => {
    for (const [stored] of values) {
      const bytes = encodeStoredValue(stored)
      for (let length = 0; length < bytes.length; length++)
        expect(() => decodeStoredValue(bytes.subarray(0, length))).toThrow(DecodeError)
      expect(() => decodeStoredValue(Uint8Array.of(...bytes, 0))).toThrow(DecodeError)
    }
  })
})

/** The value in a proof of one: how many there are, the key, the value; then the way up to the root. */
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
