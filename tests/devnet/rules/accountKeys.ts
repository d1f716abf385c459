import { memberAt } from '@wattfeed/base'
import type { ExecutedTransaction, Signer } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import { createDevnet } from '@wattfeed/casper-devnet'
import {
  createSender,
  getExecution,
  putTransaction,
  type Sender,
  signersOf,
} from '@wattfeed/casper-devnet/testing/sender'
import type { CodeTarget } from '../../../packages/casper/src/transaction/createTransaction.ts'
import { type ParsedAccount, parseAccount } from '../../../packages/casper/src/types/account.ts'
import { members } from '../../../packages/casper/src/types/jsonField.ts'
import { sessionArgs } from '../../../src/operator/committee/sessionArgs.ts'
import { sessionPaymentMotes } from '../../../src/operator/committee/sessionPayment.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'

/** Weights by the names of keys. */
export type Weights = Readonly<Record<string, number>>

/** A change of keys in short form; both thresholds are equal if only one is given. */
export interface Change {
  readonly current: Weights
  readonly next: Weights
  readonly deployment: number
  readonly keyManagement?: number
  /** Names. */
  readonly recovery?: string
}

/** An account `a` on an embedded chain, and keys with one letter as name, one of which is its own. */
export interface AccountKeys extends AsyncDisposable {
  readonly sender: Sender
  /** The account hash of a key. */
  hashOf(name: string): Uint8Array
  signerOf(name: string): Signer
  /** Sends the session with the signatures of some keys. Returns its error, or throws the node's if it rejects it. */
  change(signers: string, change: Change): Promise<string | null>
  /** Sends the session like `change`, and returns the whole result. */
  execute(signers: string, change: Change): Promise<ExecutedTransaction>
  /** Sends any code with the signatures of some keys. */
  send(
    signers: string,
    code: { target: CodeTarget; args: Arguments; paymentMotes?: bigint },
  ): Promise<ExecutedTransaction>
  /** Returns the account's weights and thresholds. */
  read(): Promise<{ weights: Weights; deployment: number; keyManagement: number }>
}

const NAMES = [...'abcdefgh']
const PAYMENT_MOTES = 5_000_000_000n

/** Starts a chain whose clock ticks with each transaction. */
export async function createAccountKeys(): Promise<AccountKeys> {
  let nowMs = Date.UTC(2026, 10, 20)
  const devnet = createDevnet({ seed: 'committee', accounts: NAMES.length, now: () => nowMs })
  const accountSigners = await signersOf(devnet.accounts)
  const signerOf = (name: string): Signer => {
    const signer = accountSigners[NAMES.indexOf(name)]
    if (signer === undefined) throw new Error(`there is no key ${name}`)
    return signer
  }
  const hashOf = (name: string): Uint8Array =>
    Uint8Array.fromHex(signerOf(name).keyHash.replace('account-hash-', ''))
  const listOf = (weights: Weights) =>
    Object.entries(weights).map(([name, weight]) => ({ accountHash: hashOf(name), weight }))
  const account = signerOf('a').publicKey
  const { bytes: session } = await readWasm(wasmFolder, 'Committee')

  const send: AccountKeys['send'] = async (names, { paymentMotes = PAYMENT_MOTES, ...code }) => {
    nowMs += 1
    const { chainName } = devnet
    const request = { ...code, paymentMotes, initiator: account, chainName, timestamp: nowMs }
    const signed = [...names].map((name) => JSON.parse(JSON.stringify(signerOf(name).sign(request).toJSON())))
    const approvals = signed.flatMap((each) => each.approvals)
    await putTransaction(devnet.call, { Version1: { ...signed[0], approvals } })
    return getExecution(devnet.call, signed[0].hash)
  }
  const readRecord = async (): Promise<ParsedAccount> => {
    const answer = await devnet.call('state_get_account_info', { account_identifier: account })
    return members(memberAt(answer, 'result'), 'answer')('account', parseAccount)
  }
  const execute: AccountKeys['execute'] = async (names, change) => {
    const { current, next, deployment, keyManagement = deployment, recovery = '' } = change
    const keyChange = {
      current: listOf(current),
      next: listOf(next),
      recovery: [...recovery].map(hashOf),
      thresholds: { deployment, keyManagement },
    }
    const paymentMotes = sessionPaymentMotes(await readRecord(), keyChange)
    return send(names, { target: { session }, args: sessionArgs(keyChange), paymentMotes })
  }
  return {
    sender: createSender({
      answer: devnet.call,
      chainName: devnet.chainName,
      now: () => nowMs,
      produceBlock: () => {}, // one comes by itself
    }),
    hashOf,
    signerOf,
    send,
    execute,
    change: async (names, change) => (await execute(names, change)).errorMessage,
    async read() {
      const { associatedKeys, actionThresholds } = await readRecord()
      const nameOf = (hash: Uint8Array) =>
        NAMES.find((name) => hashOf(name).toHex() === hash.toHex()) ?? hash.toHex()
      const weights = associatedKeys.map(({ accountHash, weight }) => [nameOf(accountHash), weight] as const)
      return { weights: Object.fromEntries(weights), ...actionThresholds }
    },
    [Symbol.asyncDispose]: () => devnet.stop(),
  }
}
