import type { Args, CLValue, Transaction } from 'casper-js-sdk'
import { isAccountHash } from '../types/accountHash.ts'
import { type Arguments, presentArguments } from '../types/arguments.ts'
import type { ClValue } from '../types/clValue.ts'
import type { Sdk } from './sdk.ts'

/** What a transaction runs. */
export type CodeTarget =
  | {
      /** 64 hex digits; the newest enabled version is called. */
      packageHash: string
      entryPoint: string
    }
  | {
      /** A contract's wasm, to install it or to upgrade a package. */
      wasm: Uint8Array
    }
  | {
      /** The wasm of session code, which runs once as the account and cannot install contracts. */
      session: Uint8Array
    }

/** The common terms of a program's transactions. */
export interface TransactionTerms {
  /** How long after its timestamp a transaction can still be executed, in milliseconds. */
  transactionTtlMs: number
  /** Maximum gas price at which it may be executed. At that price, it costs this many times its payment. */
  gasPriceTolerance: number
}

/** The terms that are used unless a transaction has its own. */
export const defaultTerms: TransactionTerms = { transactionTtlMs: 5 * 60_000, gasPriceTolerance: 1 }

/** A transaction to build. */
export interface TransactionRequest extends Partial<TransactionTerms> {
  /** The account: a public key in hex, prefixed with the algorithm's byte, or `account-hash-…`. */
  initiator: string
  chainName: string
  target: CodeTarget
  args: Arguments
  /** Maximum cost at a gas price of 1. A failed transaction costs all of it. */
  paymentMotes: bigint
  /** Epoch milliseconds. */
  timestamp: number
  /** The network's protocol, whose lanes the transaction must fit. @default the newest that is known */
  protocolVersion?: string | null
}

/**
 * Creates an unsigned TransactionV1.
 *
 * The SDK counts text in UTF-16 units and rejects large numbers, so every argument is encoded by our own code.
 */
export function createTransaction(sdk: Sdk, request: TransactionRequest): Transaction {
  const { initiator, chainName, target, args, paymentMotes, timestamp } = request
  const { transactionTtlMs, gasPriceTolerance } = { ...defaultTerms, ...request }
  const builder = targetBuilder(sdk, target)
  const from = isAccountHash(initiator)
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

function targetBuilder(sdk: Sdk, target: CodeTarget) {
  if ('wasm' in target) return new sdk.SessionBuilder().wasm(target.wasm).installOrUpgrade()
  if ('session' in target) return new sdk.SessionBuilder().wasm(target.session)
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
