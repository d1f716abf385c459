import { createPrivateKey, sign } from 'node:crypto'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { memberAt } from '../bytes/memberAt.ts'
import { type Arguments, presentArguments } from '../casper/types/arguments.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { type Payload, payload, type TransactionApproval } from '../casper/types/transactionV1.ts'
import { WattfeedError } from '../errors.ts'
import { blake2b } from './blake2b.ts'
import type { DevnetAccount } from './devnetAccount.ts'
import type { Devnet } from './createDevnet.ts'
import { printTransaction } from './transaction/printTransaction.ts'

/**
 * A transaction that an embedded chain rejected, or that failed.
 *
 * @example
 * ```ts
 * import { createDevnet, DevnetTransactionError, installRegistries } from 'wattfeed/devnet'
 *
 * await using devnet = createDevnet()
 * const registries = await installRegistries(devnet)
 * try {
 *   await registries.attest('NOT.REGISTERED', { amount: 1n, period: 2026 })
 * } catch (error) {
 *   if (error instanceof DevnetTransactionError) console.log(error.what, error.reason) // attest User error: …
 * }
 * ```
 */
export class DevnetTransactionError extends WattfeedError {
  static override readonly name = 'DevnetTransactionError'
  readonly code = 'devnet_transaction'
  readonly retryable = false

  constructor(
    /** Name of the entry point; `install` for wasm. */
    readonly what: string,
    /** The node's message: `User error: 1`. */
    readonly reason: string,
  ) {
    super(`transaction ${what} failed: ${reason}`)
  }
}

export interface DevnetTransaction {
  /** Wasm to install, or an entry point to call of a package. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  readonly args: Arguments
  readonly paymentMotes: bigint
}

export interface Sender {
  /** Calls a node without faults. */
  readonly call: Devnet['call']
  send(request: DevnetTransaction): Promise<void>
}

const TTL_MS = 30 * 60_000
const MAX_EXTRA_TTL_MS = 60 * 60_000

/** Creates a sender to which the devnet's faults do not apply. */
export function createSender(devnet: Devnet, account: DevnetAccount): Sender {
  const { call } = devnet.createNode()
  const { chainName, now, produceBlock } = devnet
  let sent = 0
  return {
    call,
    async send(request) {
      // A chain executes equal transactions once. The clock may be stopped, so a different time to live makes each unique.
      const ttlMs = TTL_MS + (sent++ % MAX_EXTRA_TTL_MS)
      const unsigned = payloadOf(request, {
        publicKey: account.publicKey,
        chainName,
        timestampMs: now(),
        ttlMs,
      })
      const what = 'wasm' in request.target ? 'install' : request.target.entryPoint
      const hash = encodeHex(blake2b(...payload.encode(unsigned)))
      const signed = { hash, payload: unsigned, approvals: [approve(hash, account)] }
      const put = await call('account_put_transaction', {
        transaction: { Version1: printTransaction(signed) },
      })
      if ('error' in put) throw new DevnetTransactionError(what, `${put.error.message}: ${put.error.data}`)
      if ((await executionOf(call, hash)) === null) produceBlock()
      const executed = await executionOf(call, hash)
      const reason = executed === null ? 'it is not in a block' : executed.error_message
      if (reason !== null) throw new DevnetTransactionError(what, String(reason))
    },
  }
}

function approve(hash: string, { publicKey, secretKeyPem }: DevnetAccount): TransactionApproval {
  const signature = sign(null, decodeHex(hash, 'hash'), createPrivateKey(secretKeyPem))
  return { signer: publicKey, signature: `01${encodeHex(signature)}` }
}

interface PayloadHead {
  publicKey: string
  chainName: string
  timestampMs: number
  ttlMs: number
}

/** `casper-js-sdk` is not used, because users of `wattfeed/devnet` would have to load it. */
function payloadOf({ target, args, paymentMotes }: DevnetTransaction, head: PayloadHead): Payload {
  const runtime = { kind: 'VmCasperV1', value: null } as const
  return {
    initiator_addr: { kind: 'PublicKey', value: head.publicKey },
    timestamp: head.timestampMs,
    ttl: head.ttlMs,
    chain_name: head.chainName,
    pricing_mode: {
      kind: 'PaymentLimited',
      value: { payment_amount: Number(paymentMotes), gas_price_tolerance: 1, standard_payment: true },
    },
    fields: {
      args: { kind: 'Named', value: presentArguments(args).map(([name, value]) => ({ name, ...value })) },
      target:
        'wasm' in target
          ? { kind: 'Session', value: { module_bytes: target.wasm, runtime, is_install_upgrade: true } }
          : { kind: 'Stored', value: { id: packageId(target.packageHash), runtime } },
      entry_point:
        'wasm' in target ? { kind: 'Call', value: null } : { kind: 'Custom', value: target.entryPoint },
      scheduling: { kind: 'Standard', value: null },
    },
  }
}

const packageId = (addr: string) => ({ kind: 'ByPackageHash', value: { addr, version: null } }) as const

async function executionOf(call: Devnet['call'], hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}
