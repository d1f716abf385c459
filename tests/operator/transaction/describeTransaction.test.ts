import { expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { json, signedCall } from '@wattfeed/casper/testing/sdkTransactions'
import { draftTransaction } from '@wattfeed/casper/transaction'
import {
  type Arguments,
  clBytes,
  clListOfAny,
  clString,
  clU64,
  decodeTransaction,
} from '@wattfeed/casper/types'
import type { CodeTarget } from '../../../packages/casper/src/transaction/createTransaction.ts'
import { casperTest } from '../../../packages/wattfeed/src/client/networks.ts'
import {
  contractNames,
  installArguments,
  upgradeArguments,
} from '../../../packages/wattfeed/src/registry/installation.ts'
import { sessionArgs } from '../../../src/operator/committee/sessionArgs.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'
import { describeTransaction } from '../../../src/operator/transaction/describeTransaction.ts'
import { formatArguments } from '../../../src/operator/transaction/report.ts'

const account = `account-hash-${'11'.repeat(32)}`
const packageHash = 'ab'.repeat(32)
const settings = {
  feedRegistryPackageHash: null,
  attestationRegistryPackageHash: packageHash,
  eligibilityGatePackageHash: null,
}

async function describe(target: CodeTarget, args: Arguments = {}, chainName = 'casper-net-1') {
  const isWasm = !('packageHash' in target)
  const { transaction } = await draftTransaction({
    initiator: account,
    chainName,
    target,
    args,
    paymentMotes: isWasm ? 200_000_000_000n : 2_500_000_000n,
    timestamp: 1_800_000_000_000,
  })
  return describeTransaction(decodeTransaction(transaction), settings)
}

test.each(contractNames)('default: installing and upgrading %s, by the digest of its wasm', async (name) => {
  const { bytes: wasm, sha256 } = await readWasm(wasmFolder, name)
  expect(await describe({ wasm }, installArguments(name, account))).toMatchObject({
    does: `installs ${name}`,
    code: name,
    wasm_sha256: sha256,
  })
  const upgrade = upgradeArguments(name, { packageHash, groups: [] })
  expect((await describe({ wasm }, upgrade)).does).toBe(`upgrades ${name}`)
})

test("default: the session that changes an account's keys, a line for each key", async () => {
  const session = await readFile(new URL('../../../contracts/wasm/Committee.wasm', import.meta.url))
  const hashOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
  const keys = [1, 2].map((byte) => ({ accountHash: hashOf(byte), weight: byte }))
  const args = sessionArgs({
    current: keys.slice(1),
    next: keys,
    recovery: [],
    thresholds: { deployment: 2, keyManagement: 3 },
  })
  const action = await describe({ session }, args)
  expect(action.does).toBe("changes the account's associated keys and thresholds")
  expect(formatArguments(action)).toEqual([
    ['  current', `account-hash-${'02'.repeat(32)}, weight 2`],
    ['  next', `account-hash-${'01'.repeat(32)}, weight 1`],
    ['', `account-hash-${'02'.repeat(32)}, weight 2`],
    ['  recovery', '[] ({"List":{"ByteArray":32}})'],
    ['  deployment', '2 (U8)'],
    ['  key_management', '3 (U8)'],
  ])
})

test('behavior: session code that is not ours is unknown, with its digest', async () => {
  const wasm = Uint8Array.of(0, 97, 115, 109)
  expect(await describe({ wasm })).toMatchObject({
    does: `runs unknown code with all rights of the account: SHA-256 ${hash('sha256', wasm)}`,
    code: null,
  })
})

test('behavior: a call of an unknown contract, and of an unknown entry point', async () => {
  const other = 'cd'.repeat(32)
  expect((await describe({ packageHash: other, entryPoint: 'register_feed' })).does).toBe(
    `calls "register_feed" of package hash-${other}, an unknown contract`,
  )
  expect((await describe({ packageHash, entryPoint: 'a\n\u001b[2J' })).does).toBe(
    `calls "a\\n\\u001b[2J" of AttestationRegistry (package hash-${packageHash}), an unknown entry point`,
  )
})

test.each([
  ['package hash, version and protocol', `package hash-${'c1'.repeat(32)}, version 3, of protocol 2`],
  ['package hash and protocol', `package hash-${'c1'.repeat(32)}, of protocol 2`],
  [
    'package name, version and protocol',
    `the package under the account's named key "counter_package", version 2, of protocol 1`,
  ],
])('default: a call by %s', async (by, called) => {
  const call = decodeTransaction({ Version1: json(signedCall(by).toJSON()) })
  expect((await describeTransaction(call, settings)).does).toBe(
    `calls "increment" of ${called}, an unknown contract`,
  )
})

test('behavior: a long name cannot hide that the contract is unknown', async () => {
  const other = 'cd'.repeat(32)
  const name = `a${' '.repeat(100_000)}does  registers a feed`
  expect((await describe({ packageHash: other, entryPoint: name })).does).toBe(
    `calls "a${' '.repeat(63)}" (the first 64 of 100023 characters) of package hash-${other}, an unknown contract`,
  )
})

test('behavior: the name of an argument cannot look like another row', async () => {
  const args = { 'does   registers a feed': clU64(1n) }
  expect(formatArguments(await describe({ packageHash, entryPoint: 'attest' }, args))).toEqual([
    ['  "does   registers a feed"', '"1" (U64)'],
  ])
})

test('behavior: the contracts of the test network are known on its chain only', async () => {
  const target = { packageHash: casperTest.feedRegistryPackageHash, entryPoint: 'register_feed' }
  expect((await describe(target, {}, 'casper-test')).does).toContain('FeedRegistry')
  expect((await describe(target)).code).toBeNull()
})

test('behavior: arguments: exact numbers of 64 bits, bytes of what has no JSON, control characters escaped', async () => {
  const args = {
    large: clU64(2n ** 64n - 1n),
    text: clString('a\n\u001b[2J'),
    any: clListOfAny([Uint8Array.of(7)]),
    wrong: { clType: 'String', bytes: Uint8Array.of(9) } as const,
    short: { clType: 'U64', bytes: Uint8Array.of(9) } as const,
    eightBytes: clString('abcd'),
    numbers: { clType: { List: 'U64' }, bytes: clBytes(new Uint8Array(0)).bytes } as const,
  }
  const action = await describe({ packageHash, entryPoint: 'attest' }, args)
  expect(formatArguments(action)).toEqual([
    ['  large', '"18446744073709551615" (U64)'],
    ['  text', '"a\\n\\u001b[2J" (String)'],
    ['  any', 'bytes 0100000007 ({"List":"Any"})'],
    ['  wrong', 'bytes 09 (String)'],
    ['  short', 'bytes 09 (U64)'],
    ['  eightBytes', '"abcd" (String)'],
    ['  numbers', 'bytes 00000000 ({"List":"U64"})'],
  ])
})
