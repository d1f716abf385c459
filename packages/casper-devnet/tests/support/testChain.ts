import { CHAIN_NAME, json, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { Args, type PrivateKey, SessionBuilder, Timestamp } from 'casper-js-sdk'
import { blake2b } from '../../src/blake2b.ts'
import type { ChainOptions } from '../../src/chain/chainOptions.ts'
import { type Chain, createChain } from '../../src/chain/createChain.ts'
import { chainspecs } from '../../src/chainspec.ts'
import { defaultProtocol } from '../../src/defaultProtocol.ts'
import { parseTransaction } from '../../src/transaction/parseTransaction.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { createFakeEngine } from './fakeEngine.ts'

export const START_MOTES = 1_000_000_000_000_000n

/** A chain with a stopped clock, on which the SDK's two keys have money. */
export const createTestChain = (options: Partial<ChainOptions> = {}): Chain =>
  createChain(testChainOptions(options))

/** Its options. */
export function testChainOptions(options: Partial<ChainOptions> = {}): ChainOptions {
  return {
    chainName: CHAIN_NAME,
    seed: blake2b(new TextEncoder().encode('test')),
    accounts: Object.values(keys).map((key) => ({
      publicKey: key.publicKey.toHex(),
      balanceMotes: START_MOTES,
    })),
    engine: createFakeEngine(),
    chainspec: chainspecs[defaultProtocol],
    now: () => NOW,
    blockTimeMs: null,
    directory: null,
    validators: 3,
    eraLength: 20,
    retainedRoots: 1000,
    ...options,
  }
}

export interface SessionOptions {
  paymentMotes?: number
  key?: PrivateKey
  isInstall?: boolean
  chainName?: string
  timestampMs?: number
}

/** Returns a signed session with this cost; `nonce` makes sessions differ. */
export function sessionOf(
  nonce: number,
  {
    paymentMotes = 3_000_000_000,
    key = keys.ed25519,
    isInstall = false,
    chainName = CHAIN_NAME,
    timestampMs = NOW,
  }: SessionOptions = {},
): Transaction {
  const builder = new SessionBuilder().wasm(Uint8Array.of(0, 97, 115, 109, nonce & 255, nonce >> 8))
  if (isInstall) builder.installOrUpgrade()
  const transaction = builder
    .from(key.publicKey)
    .chainName(chainName)
    .timestamp(new Timestamp(new Date(timestampMs)))
    .payment(paymentMotes, 1)
    .runtimeArgs(Args.fromMap({}))
    .build()
  transaction.sign(key)
  return parseTransaction({ Version1: json(transaction.toJSON()) })
}
