import { createPrivateKey, sign } from 'node:crypto'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { type Arguments, presentArguments } from '../casper/types/arguments.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { WattfeedError } from '../errors.ts'
import type { DevnetAccount } from './consensus/keys.ts'
import type { Devnet } from './createDevnet.ts'
import { hashPayload } from './transaction/parseTransaction.ts'

/** A transaction that an embedded chain refused, or that failed. */
export class DevnetTransactionError extends WattfeedError {
  static override readonly name = 'DevnetTransactionError'
  readonly code = 'devnet_transaction'
  readonly retryable = false

  constructor(
    /** The entry point, or `install` for wasm. */
    readonly what: string,
    /** The node's message: `User error: 1`. */
    readonly reason: string,
  ) {
    super(`${what} was refused or failed: ${reason}`)
  }
}

/** A transaction of an account of an embedded chain. */
export interface DevnetTransaction {
  /** Wasm to install, or an entry point of a package (64 hex digits) to call. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  readonly args: Arguments
  readonly paymentMotes: bigint
}

/** A node without faults, and what a transaction needs of its chain. */
export type Sender = Pick<Devnet, 'call' | 'chainName' | 'now' | 'produceBlock'>

/**
 * Signs and sends a transaction, and makes a block for it if needed.
 *
 * @throws {DevnetTransactionError} when it is refused or fails
 */
export async function transact(
  sender: Sender,
  account: DevnetAccount,
  request: DevnetTransaction,
): Promise<void> {
  const what = 'wasm' in request.target ? 'install' : request.target.entryPoint
  const payload = payloadOf(sender, account, request)
  const hash = hashPayload(payload)
  const signature = sign(null, decodeHex(hash, 'hash'), createPrivateKey(account.secretKeyPem))
  const approvals = [{ signer: account.publicKey, signature: `01${encodeHex(signature)}` }]
  const put = await sender.call('account_put_transaction', {
    transaction: { Version1: { hash, payload, approvals } },
  })
  if ('error' in put) throw new DevnetTransactionError(what, `${put.error.message}: ${put.error.data}`)
  if ((await executionOf(sender, hash)) === null) sender.produceBlock()
  const executed = await executionOf(sender, hash)
  const reason = executed === null ? 'no block holds it' : executed.error_message
  if (reason !== null) throw new DevnetTransactionError(what, String(reason))
}

function payloadOf({ chainName, now }: Sender, account: DevnetAccount, request: DevnetTransaction): object {
  const { target, args, paymentMotes } = request
  const runtime = 'VmCasperV1'
  const named = presentArguments(args).map(([name, { clType, bytes }]) => [
    name,
    { cl_type: clType, bytes: encodeHex(bytes) },
  ])
  const run =
    'wasm' in target
      ? { Session: { module_bytes: encodeHex(target.wasm), runtime, is_install_upgrade: true } }
      : { Stored: { id: { ByPackageHash: { addr: target.packageHash, version: null } }, runtime } }
  return {
    initiator_addr: { PublicKey: account.publicKey },
    timestamp: new Date(now()).toISOString(),
    ttl: '30m',
    chain_name: chainName,
    pricing_mode: {
      PaymentLimited: {
        payment_amount: Number(paymentMotes),
        gas_price_tolerance: 1,
        standard_payment: true,
      },
    },
    fields: {
      args: { Named: named },
      target: run,
      entry_point: 'wasm' in target ? 'Call' : { Custom: target.entryPoint },
      scheduling: 'Standard',
    },
  }
}

/** Returns the result of a transaction; null if it is not in a block yet. */
async function executionOf({ call }: Sender, hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}

/** Returns the JSON value at a path of names; undefined if missing. */
export const memberAt = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((found, name) => (isRecord(found) ? found[name] : undefined), value)
