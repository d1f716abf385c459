import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { transactions } from '@wattfeed/casper-devnet/testing/recordings'
import { NativeTransferBuilder, Timestamp } from 'casper-js-sdk'
import { encodeAs } from '../../src/types/codec.ts'
import { strictReader } from '../../src/types/strictReader.ts'
import { decodeTransaction } from '../../src/types/transaction.ts'
import { transactionV1 } from '../../src/types/transactionV1.ts'
import { CHAIN_NAME, calls, json, keys, NOW, signedCall, signedSession } from '../support/sdkTransactions.ts'

const packageCalls: { transaction: unknown; bytes: string }[] = readFileSync(
  new URL('../../../../fixtures/package-calls/vectors.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const recorded = transactions.flatMap(({ params, note, ...each }) => {
  const sent =
    memberAt(params, 'transaction') ?? memberAt('result' in each ? each.result : null, 'transaction')
  return memberAt(sent, 'Version1') === undefined || note === 'ttl too long'
    ? []
    : [[note ?? '', sent] as const]
})

describe('decodeTransaction', () => {
  test.each(recorded)('default: recorded: %s', (_, transaction) => {
    const { hash, chainName, approvals } = decodeTransaction(transaction)
    expect(hash).toBe(String(memberAt(transaction, 'Version1', 'hash')))
    expect(chainName).toStartWith('casper-')
    expect(approvals).toHaveLength(1)
  })

  test('behavior: there are several recordings', () => expect(recorded.length).toBeGreaterThan(5))

  const both = Object.entries(keys)
  test.each(both.flatMap(([kind, key]) => Object.keys(calls).map((by) => [kind, by, key] as const)))(
    'default: %s: a call by %s made by casper-js-sdk',
    (_, by, key) => {
      const made = signedCall(by, key)
      expect(decodeTransaction({ Version1: json(made.toJSON()) })).toMatchObject({
        hash: made.hash.toHex(),
        initiator: { publicKey: key.publicKey.toHex(), accountHash: key.publicKey.accountHash().toBytes() },
        chainName: CHAIN_NAME,
        timestampMs: NOW,
        ttlMs: 1_800_000,
        paymentMotes: 3_000_000_000n,
        gasPriceTolerance: 1,
        entryPoint: 'increment',
        args: [{ name: 'text' }, { name: 'number' }, { name: 'flag' }, { name: 'bytes' }],
        approvals: [{ signer: key.publicKey.toHex() }],
      })
    },
  )

  test('default: calls of packages, with and without a major protocol version, as casper-types encodes them', () => {
    expect(packageCalls.length).toBe(12)
    for (const { transaction, bytes } of packageCalls) {
      const sent = memberAt(transaction, 'Version1')
      expect(encodeAs(transactionV1, transactionV1.parse(sent, 'Version1', strictReader)).toHex()).toBe(bytes)
      expect(decodeTransaction(transaction).hash).toBe(String(memberAt(sent, 'hash')))
    }
  })

  test('default: what a call names', () => {
    const targets = Object.keys(calls).map(
      (by) => decodeTransaction({ Version1: json(signedCall(by).toJSON()) }).target,
    )
    const hash = 'c1'.repeat(32)
    expect(targets).toEqual([
      { kind: 'package', packageHash: hash, version: null, protocolVersionMajor: null },
      { kind: 'package', packageHash: hash, version: 3, protocolVersionMajor: null },
      { kind: 'package', packageHash: hash, version: null, protocolVersionMajor: 2 },
      { kind: 'package', packageHash: hash, version: 3, protocolVersionMajor: 2 },
      { kind: 'contract', contractHash: hash },
      { kind: 'name', name: 'counter' },
      { kind: 'packageName', name: 'counter_package', version: 2, protocolVersionMajor: null },
      { kind: 'packageName', name: 'counter_package', version: 2, protocolVersionMajor: 1 },
    ])
  })

  test.each([true, false])('default: session code, for installing: %p', (isInstallOrUpgrade) => {
    const wasm = Uint8Array.of(1, 2, 3)
    const made = json(signedSession(wasm, isInstallOrUpgrade).toJSON())
    expect(decodeTransaction({ Version1: made })).toMatchObject({
      target: { kind: 'session', wasm, isInstallOrUpgrade },
      entryPoint: 'call',
    })
  })

  test('default: a transfer', () => {
    const made = new NativeTransferBuilder()
      .from(keys.ed25519.publicKey)
      .target(keys.secp256k1.publicKey)
      .amount('2500000000')
      .id(1)
      .chainName(CHAIN_NAME)
      .timestamp(new Timestamp(new Date(NOW)))
      .payment(100_000_000, 1)
      .build()
    expect(decodeTransaction({ Version1: json(made.toJSON()) })).toMatchObject({
      target: { kind: 'native' },
      entryPoint: 'Transfer',
      approvals: [],
    })
  })

  const call = (): object => ({ Version1: json(signedCall('package hash').toJSON()) })

  test.each([
    ['timestamp', '2026-02-30T00:00:00.000Z', 'timestamp'],
    ['timestamp', '2026-02-28', 'timestamp'],
    ['ttl', '30', 'time unit needed'],
    ['ttl', '8000years', 'after the year 9999'],
    ['chain_name', '\ud800', 'lone surrogate'],
    ['initiator_addr', { PublicKey: '00' }, 'got that of the system'],
    ['initiator_addr', { AccountHash: 'account-hash-' }, 'expected an account hash'],
    [
      'initiator_addr',
      { EvmAddress: 'aa' },
      'unknown kind "EvmAddress"; expected a PublicKey or an AccountHash',
    ],
    ['initiator_addr', {}, 'exactly one kind'],
    ['fields.scheduling', { FutureTimestamp: '' }, 'Standard'],
    ['fields.entry_point', 'Call', 'does not fit'],
    ['fields.entry_point', 'Vote', 'unknown'],
    ['fields.target', { Stored: {} }, 'missing field "id"'],
    ['fields.target', { Evm: {} }, 'unknown kind "Evm"'],
    [
      'fields.target',
      { Stored: { id: { ByName: 'a' }, runtime: 'VmCasperV2' } },
      'runtime: unknown kind "VmCasperV2"; expected VmCasperV1',
    ],
    ['fields.args', { Bytesrepr: '' }, 'not supported'],
    ['fields.args', { Named: [['a', { cl_type: 'String', bytes: 'zz' }]] }, 'expected hex'],
    ['fields.args', { Named: [['a']] }, 'expected an object'],
    [
      'pricing_mode',
      { PaymentLimited: { payment_amount: 2 ** 53, gas_price_tolerance: 1, standard_payment: true } },
      'whole number',
    ],
    [
      'pricing_mode',
      { PaymentLimited: { payment_amount: 1, gas_price_tolerance: 256, standard_payment: true } },
      '255',
    ],
    [
      'pricing_mode',
      { PaymentLimited: { payment_amount: 1, gas_price_tolerance: 1, standard_payment: false } },
      'only standard payment',
    ],
  ])('error: %s: %j', (path, value, rule) => {
    const changed = call()
    const names = ['Version1', 'payload', ...path.split('.')]
    Object(memberAt(changed, ...names.slice(0, -1)))[names.at(-1) ?? ''] = value
    expect(() => decodeTransaction(changed)).toThrow(rule)
  })

  test.each([
    ['signer', '00', 'got that of the system'],
    ['signature', '01', '65 bytes'],
    ['signature', `02${'11'.repeat(64)}`, "key's algorithm"],
  ])('error: an approval with another %s', (name, value, rule) => {
    const changed = call()
    Object(memberAt(changed, 'Version1', 'approvals', '0'))[name] = value
    expect(() => decodeTransaction(changed)).toThrow(rule)
  })
})
