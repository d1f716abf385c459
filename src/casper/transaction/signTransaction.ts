import type { Args, CLValue, Transaction } from 'casper-js-sdk'
import { type Arguments, countArgumentBytes, presentArguments } from '../types/arguments.ts'
import type { ClValue } from '../types/clValue.ts'
import { assertLane } from './lane.ts'
import { loadSdk, type Sdk, type Signer } from './signer.ts'
import { countTransactionBytes } from './transactionSize.ts'

/** The code that a transaction runs. */
export type Target =
  | {
      /** 64 hex digits; the newest enabled version is called. */
      packageHash: string
      entryPoint: string
    }
  | {
      /** A contract's wasm, to install it or to upgrade a package. */
      wasm: Uint8Array
    }

/** What every transaction of a program has in common. */
export interface TransactionTerms {
  /** How long after its timestamp a transaction can still be executed, in milliseconds. */
  transactionTtlMs: number
  /** The highest gas price at which it may be executed: at that price it costs so many times its payment. */
  gasPriceTolerance: number
}

/** The terms of programs that set none. */
export const defaultTerms: TransactionTerms = { transactionTtlMs: 5 * 60_000, gasPriceTolerance: 1 }

export interface TransactionRequest extends Partial<TransactionTerms> {
  /** The account: a public key in hex, prefixed with the algorithm's byte, or `account-hash-…`. */
  initiator: string
  chainName: string
  target: Target
  args: Arguments
  /** The most that it may cost at a gas price of 1; a failure costs all of it. */
  paymentMotes: bigint
  /** Epoch milliseconds. */
  timestamp: number
}

/**
 * Creates an unsigned TransactionV1.
 *
 * The SDK counts text in UTF-16 units and rejects large numbers, so every argument is encoded by our own code.
 */
export async function createTransaction(request: TransactionRequest): Promise<Transaction> {
  const sdk = await loadSdk()
  const { initiator, chainName, target, args, paymentMotes, timestamp } = request
  const { transactionTtlMs, gasPriceTolerance } = { ...defaultTerms, ...request }
  const builder = targetBuilder(sdk, target)
  const from = initiator.startsWith(ACCOUNT_HASH)
    ? builder.fromAccountHash(sdk.AccountHash.fromString(initiator))
    : builder.from(sdk.PublicKey.fromHex(initiator))
  return from
    .chainName(chainName)
    .timestamp(new sdk.Timestamp(new Date(timestamp)))
    .ttl(transactionTtlMs)
    .payment(Number(paymentMotes), gasPriceTolerance)
    .runtimeArgs(sdkArguments(sdk, args))
    .build()
}

export const ACCOUNT_HASH = 'account-hash-'

/** @throws {NoLaneError} unless the network has a lane for the signed transaction. */
export function assertTransactionLane(request: TransactionRequest, transaction: Transaction): void {
  assertLane('wasm' in request.target ? 'install' : 'call', {
    paymentMotes: request.paymentMotes,
    argumentBytes: countArgumentBytes(request.args),
    transactionBytes: countTransactionBytes(request, transaction),
  })
}

function targetBuilder(sdk: Sdk, target: Target) {
  if ('wasm' in target) return new sdk.SessionBuilder().wasm(target.wasm).installOrUpgrade()
  return new sdk.ContractCallBuilder().byPackageHash(target.packageHash).entryPoint(target.entryPoint)
}

function sdkArguments(sdk: Sdk, args: Arguments): Args {
  return new sdk.Args(new Map(presentArguments(args).map(([name, value]) => [name, sdkValue(sdk, value)])))
}

function sdkValue(sdk: Sdk, { clType, bytes }: ClValue): CLValue {
  const value = new sdk.CLValue(sdk.CLTypeParser.fromInterface(clType))
  value.bytes = () => bytes
  return value
}

/** A signed transaction: plain data that can be stored, and sent again unchanged. */
export interface SignedTransaction {
  /** 64 hex digits. */
  readonly hash: string
  /** Epoch milliseconds: no block after this may hold it. */
  readonly expiresAt: number
  /** What `account_put_transaction` takes. */
  readonly transaction: { readonly Version1: unknown }
}

/**
 * Creates and signs a transaction. It is not sent.
 *
 * @throws {NoLaneError} if no lane of the network takes it.
 */
export async function signTransaction(
  signer: Signer,
  request: Omit<TransactionRequest, 'initiator'>,
): Promise<SignedTransaction> {
  const full = { ...request, initiator: signer.initiator }
  const transaction = await createTransaction(full)
  signer.sign(transaction)
  assertTransactionLane(full, transaction)
  return {
    hash: transaction.hash.toHex(),
    expiresAt: transaction.timestamp.toMilliseconds() + transaction.ttl.toMilliseconds(),
    // Via text, so that it equals what is read back from a file.
    transaction: { Version1: JSON.parse(JSON.stringify(transaction.toJSON())) },
  }
}
