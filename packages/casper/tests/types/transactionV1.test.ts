import { describe, expect, test } from 'bun:test'
import { nodeReader, parseTransaction, printTransaction } from '@wattfeed/casper-devnet/testing/internals'
import {
  AccountHash,
  Args,
  CLTypeParser,
  CLValue,
  ContractCallBuilder,
  NativeTransferBuilder,
  SessionBuilder,
  Timestamp,
  Transaction,
} from 'casper-js-sdk'
import fc from 'fast-check'
import { encodeAs } from '../../src/types/codec.ts'
import { decodeTransaction } from '../../src/types/transaction.ts'
import { transactionV1 } from '../../src/types/transactionV1.ts'
import { anyClType } from '../support/anyClType.ts'
import { json, keys } from '../support/sdkTransactions.ts'

const bytesOf = (size: { min?: number; max: number }) =>
  fc.uint8Array({ minLength: size.min ?? 0, maxLength: size.max })
const hash = bytesOf({ min: 32, max: 32 }).map((bytes) => bytes.toHex())
// The SDK counts text in UTF-16 units, a node in bytes.
const name = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 })
// The first is 1, and the SDK encodes 0 as none.
const version = fc.option(fc.integer({ min: 1, max: 0xffff_ffff }), { nil: undefined })
const key = fc.constantFrom(...Object.values(keys))

/** Any type with any bytes, which need not be a value of it. */
const anyArgument = fc.record({ clType: anyClType, bytes: bytesOf({ max: 40 }) }).map(({ clType, bytes }) => {
  const value = new CLValue(CLTypeParser.fromInterface(clType))
  value.bytes = () => bytes
  return value
})

/** Values that the SDK can also read. */
const sdkValue = fc.oneof(
  name.map((text) => CLValue.newCLString(text)),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((number) => CLValue.newCLUInt512(`${number}`)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((number) => CLValue.newCLUint64(`${number}`)),
  bytesOf({ min: 1, max: 64 }).map((bytes) => CLValue.newCLByteArray(bytes)),
  fc.boolean().map((flag) => CLValue.newCLOption(CLValue.newCLValueBool(flag))),
  key.map(({ publicKey }) => CLValue.newCLPublicKey(publicKey)),
)

const call = (change: (builder: ContractCallBuilder) => unknown, entryPoint: string) => () => {
  const builder = new ContractCallBuilder()
  change(builder)
  return builder.entryPoint(entryPoint)
}

/** Builders of calls by each name of a contract, of both kinds of session code, and of transfers. */
const builder = fc.oneof(
  fc
    .tuple(hash, version, version, name)
    .map(([of, v, major, entry]) => call((to) => to.byPackageHash(of, v, major), entry)),
  fc
    .tuple(name, version, version, name)
    .map(([of, v, major, entry]) => call((to) => to.byPackageName(of, v, major), entry)),
  fc.tuple(hash, name).map(([of, entry]) => call((to) => to.byHash(of), entry)),
  fc.tuple(name, name).map(([of, entry]) => call((to) => to.byName(of), entry)),
  fc.tuple(bytesOf({ min: 1, max: 300 }), fc.boolean()).map(([wasm, isInstall]) => () => {
    const made = new SessionBuilder().wasm(wasm)
    return isInstall ? made.installOrUpgrade() : made
  }),
  fc
    .bigInt({ min: 2_500_000_000n, max: 2n ** 100n })
    .map((motes) => () => new NativeTransferBuilder().target(keys.secp256k1.publicKey).amount(`${motes}`)),
)

/** A transaction that casper-js-sdk has built, hashed and signed. */
const transactionWith = (argument: fc.Arbitrary<CLValue>) =>
  fc
    .record({
      builder,
      key,
      isByHash: fc.boolean(),
      chainName: name,
      timestamp: fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
      // The SDK prints other durations as `0.001s`, `1undefined` or `2day`, which nodes reject.
      ttl: fc.integer({ min: 1, max: 24 * 60 - 1 }).map((minutes) => minutes * 60_000),
      // The SDK rejects the largest safe integer.
      payment: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 }),
      gasPriceTolerance: fc.integer({ min: 0, max: 255 }),
      args: fc.dictionary(name, argument, { maxKeys: 5 }),
      signers: fc.subarray(Object.values(keys)),
    })
    .map(({ key: { publicKey }, ...of }) => {
      const made = of.builder()
      const from = of.isByHash
        ? made.fromAccountHash(AccountHash.fromString(publicKey.accountHash().toPrefixedString()))
        : made.from(publicKey)
      if (!(made instanceof NativeTransferBuilder))
        made.runtimeArgs(new Args(new Map(Object.entries(of.args))))
      const transaction = from
        .chainName(of.chainName)
        .timestamp(new Timestamp(new Date(of.timestamp)))
        .ttl(of.ttl)
        .payment(of.payment, of.gasPriceTolerance)
        .build()
      for (const signer of of.signers) transaction.sign(signer)
      return transaction
    })

describe('a transaction of casper-js-sdk', () => {
  test('behavior: has the same bytes, hash and size for the client and the chain', () => {
    fc.assert(
      fc.property(transactionWith(anyArgument), (made) => {
        const sent = json(made.toJSON())
        const bytes = made.getTransactionV1()?.toBytes() ?? new Uint8Array()
        const signed = transactionV1.parse(sent, 'Version1', nodeReader)
        expect(encodeAs(transactionV1, signed).toHex()).toBe(bytes.toHex())
        const { hasValidHash, sizeBytes } = parseTransaction({ Version1: sent })
        expect({ hasValidHash, sizeBytes }).toEqual({ hasValidHash: true, sizeBytes: bytes.length })
        expect(decodeTransaction({ Version1: sent })).toMatchObject({
          hash: made.hash.toHex(),
          approvals: made.approvals.map(({ signer, signature }) => ({
            signer: signer.toHex(),
            signature: signature.toHex(),
          })),
        })
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 40) },
    )
  })

  test('behavior: what is formatted parses to itself, and the SDK finds it valid', () => {
    fc.assert(
      fc.property(transactionWith(sdkValue), (made) => {
        const signed = transactionV1.parse(json(made.toJSON()), 'Version1', nodeReader)
        const printed = JSON.parse(JSON.stringify(printTransaction(signed)))
        expect(transactionV1.parse(printed, 'Version1', nodeReader)).toEqual(signed)
        const read = Transaction.fromJSON(printed)
        expect(read.hash.toHex()).toBe(made.hash.toHex())
        expect(read.validate()).toBeTrue()
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 25) },
    )
  })
})
