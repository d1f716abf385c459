import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createCursor, DecodeError } from '@wattfeed/base'
import { dictionaryKey, normalizeKey, stateKey } from '../../src/types/key.ts'
import {
  decodeKey,
  dictionaryAddress,
  encodeKey,
  formatKey,
  parseKey,
  readKey,
} from '../../src/types/keyKinds.ts'

const a = 'ab'.repeat(32)
const b = '0c'.repeat(32)

/** Every kind of key: the node's text, and its bytes. */
const keys: readonly (readonly [string, string])[] = [
  [`account-hash-${a}`, `00${a}`],
  [`hash-${a}`, `01${a}`],
  [`uref-${a}-007`, `02${a}07`],
  [`uref-${a}-000`, `02${a}00`],
  [`transfer-${a}`, `03${a}`],
  [`deploy-${a}`, `04${a}`],
  ['era-258', '050201000000000000'],
  ['era-18446744073709551615', '05ffffffffffffffff'],
  [`balance-${a}`, `06${a}`],
  [`bid-${a}`, `07${a}`],
  [`withdraw-${a}`, `08${a}`],
  [`dictionary-${a}`, `09${a}`],
  [`system-entity-registry-${'00'.repeat(32)}`, `0a${'00'.repeat(32)}`],
  [`era-summary-${'00'.repeat(32)}`, `0b${'00'.repeat(32)}`],
  [`unbond-${a}`, `0c${a}`],
  [`chainspec-registry-${'00'.repeat(32)}`, `0d${'00'.repeat(32)}`],
  [`checksum-registry-${'00'.repeat(32)}`, `0e${'00'.repeat(32)}`],
  [`bid-addr-01${a}`, `0f01${a}`],
  [`bid-addr-02${a}${b}`, `0f02${a}${b}`],
  [`bid-addr-04${a}0200000000000000`, `0f04${a}0200000000000000`],
  [`package-${a}`, `10${a}`],
  [`entity-system-${a}`, `1100${a}`],
  [`entity-account-${a}`, `1101${a}`],
  [`entity-contract-${a}`, `1102${a}`],
  [`byte-code-empty-${'00'.repeat(32)}`, '1200'],
  [`byte-code-v1-wasm-${a}`, `1201${a}`],
  [`byte-code-v2-wasm-${a}`, `1202${a}`],
  [`message-topic-entity-contract-${a}-${b}`, `1302${a}${b}00`],
  [`message-entity-contract-${a}-${b}-1f`, `1302${a}${b}011f000000`],
  [`named-key-entity-contract-${a}-${b}`, `1402${a}${b}`],
  [`block-time-${'00'.repeat(31)}`, `1500${'00'.repeat(31)}`],
  [`block-message-count-${'00'.repeat(31)}`, `1501${'00'.repeat(31)}`],
  [`block-protocol-version-${'00'.repeat(31)}`, `1502${'00'.repeat(31)}`],
  [`block-addressable-entity-${'00'.repeat(31)}`, `1503${'00'.repeat(31)}`],
  [`balance-hold-01${a}dd958bf8a1010000`, `1601${a}dd958bf8a1010000`],
  [`entry-point-v1-entity-contract-${a}-${b}`, `170002${a}${b}`],
  [`state-entity-contract-${a}`, `1802${a}`],
  [`rewards-handling-${'00'.repeat(32)}`, `19${'00'.repeat(32)}`],
]

describe('keys', () => {
  test.each(keys)('default: %s', (text, hex) => {
    const bytes = Uint8Array.fromHex(hex)
    expect(formatKey(bytes)).toBe(text)
    expect(parseKey(text)).toEqual(bytes)
    expect(decodeKey(bytes)).toEqual(bytes)
  })

  test('behavior: every key of the recordings is printed as it was read', () => {
    const recordings = [
      'gate-replay.jsonl',
      'host-function-vectors.jsonl',
      'transactions.jsonl',
      'accounts.jsonl',
    ]
    const texts = recordings.flatMap((name) => {
      const text = readFileSync(new URL(`../../../../fixtures/chain/${name}`, import.meta.url), 'utf8')
      return [...text.matchAll(/"key":"([^"]+)"/g)].flatMap(([, key]) => key ?? [])
    })
    const printable = texts.filter((text) => text.includes('-'))
    expect(printable.length).toBeGreaterThan(200)
    expect(printable.map((text) => formatKey(parseKey(text)))).toEqual(printable)
  })

  test('behavior: reads consecutive keys', () => {
    const all = keys.map(([, hex]) => hex)
    const cursor = createCursor(Uint8Array.fromHex(all.join('')), 'keys')
    expect(all.map(() => readKey(cursor).toHex())).toEqual(all)
    cursor.end()
  })

  test('behavior: global state knows a URef without its rights', () => {
    const uref = Uint8Array.fromHex(`02${a}07`)
    expect(stateKey(uref)).toBe(`02${a}00`)
    expect(normalizeKey(uref)).toEqual(Uint8Array.fromHex(`02${a}00`))
    expect(uref[33]).toBe(7)
    expect(stateKey(Uint8Array.fromHex(`01${a}`))).toBe(`01${a}`)
  })

  test.each([
    ['', 'nothing'],
    ['1a', 'an unknown kind'],
    ['01abcd', 'a short hash'],
    [`01${a}00`, 'too many bytes'],
    [`02${a}08`, 'rights that there are not'],
    [`1103${a}`, 'an unknown entity'],
    [`0f0a${a}`, 'an unknown bid'],
    [`1203${a}`, 'unknown byte code'],
    [`1302${a}${b}02`, 'an unknown message'],
    [`1303${a}${b}00`, 'a message of an unknown entity'],
    [`1504${'00'.repeat(31)}`, 'an unknown block value'],
    [`1602${a}0000000000000000`, 'an unknown hold'],
    [`170102${a}${b}`, 'an unknown entry point'],
  ])('error: bytes %s: %s', (hex) => {
    expect(() => decodeKey(Uint8Array.fromHex(hex))).toThrow(DecodeError)
  })

  test.each([
    '',
    'hash-',
    'hash-abcd',
    `hash-${a}00`,
    `hash-${'zz'.repeat(32)}`,
    `uref-${a}`,
    `uref-${a}-008`,
    `uref-${a}-010`,
    `uref-${a}-400`,
    `contract-${a}`,
    'era-',
    'era-x',
    `message-entity-contract-${a}-${b}-`,
    `block-time-${'01'.repeat(31)}`,
    `bid-addr-0b${a}`,
  ])('error: text %p', (text) => {
    expect(() => parseKey(text)).toThrow(DecodeError)
  })
})

test('error: a dictionary whose seed is not a URef', () => {
  const seed = '12'.repeat(32)
  expect(dictionaryAddress(`uref-${seed}-000`, 'item')).toEqual(dictionaryAddress(`uref-${seed}-007`, 'item'))
  for (const key of [`hash-${seed}`, `dictionary-${seed}`, 'uref'])
    expect(() => dictionaryAddress(key, 'item')).toThrow(DecodeError)
})

describe('encodeKey', () => {
  const plain = ['account-hash', 'hash', 'transfer', 'deploy', 'balance', 'bid', 'withdraw', 'dictionary']

  test.each([...plain.map((kind) => `${kind}-${a}`), `era-summary-${a}`])('default: %s', (text) => {
    expect(encodeKey(text)).toEqual(parseKey(text))
  })

  test('behavior: global state has a URef without rights', () => {
    expect(encodeKey(`uref-${a}-007`).toHex()).toBe(`02${a}00`)
  })

  test('behavior: the key of a dictionary item', () => {
    expect(dictionaryKey(Uint8Array.fromHex(a))).toEqual(encodeKey(`dictionary-${a}`))
  })

  test.each([
    '',
    a,
    `hash-${a}0`,
    `hash-${a}-007`,
    `uref-${a}`,
    `uref-${a}-009`,
    `contract-${a}`,
    `toString-${a}`,
    ` hash-${a}`,
  ])('error: %p is not a key', (text) => {
    expect(() => encodeKey(text)).toThrow(
      new DecodeError('Key', `expected a key of global state, got ${JSON.stringify(text.slice(0, 100))}`),
    )
  })
})
