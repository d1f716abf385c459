import { decodeHex } from '@wattfeed/base'
import { AllNodesFailedError, type Rpc } from '@wattfeed/casper'
import { verifySignature } from '@wattfeed/casper/light-client'
import { getAccount, readBlockTimes } from '@wattfeed/casper/transaction'
import {
  accountHashOfHex,
  formatAccountHash,
  type ParsedAccount,
  type TransactionV1,
} from '@wattfeed/casper/types'
import type { Terminal } from '../../runtime/terminal.ts'
import { openRpc } from '../open.ts'
import { PreflightError } from '../preflight.ts'
import type { TransactionSettings } from '../settings.ts'
import { type Action, COMMITTEE, describeTransaction } from './describeTransaction.ts'
import { readTransactionFile, type TransactionFile, TransactionFileError } from './transactionFile.ts'

export interface CheckedApproval {
  /** Public key in hex. */
  signer: string
  /** `account-hash-…`, as the account lists the key. */
  key: string
  isValid: boolean
}

/** The weight of a transaction's valid approvals, and what is missing. */
export interface Weight {
  weight: number
  /** The least weight with which the transaction succeeds. */
  needed: number
  others: readonly { key: string; weight: number }[]
  /** Keys that have signed and are not associated with the account. Their signatures weigh nothing. */
  foreign: readonly string[]
}

export interface Inspection extends TransactionFile {
  /** The nodes, which must be on the transaction's chain; null without any. */
  rpc: Rpc | null
  action: Action
  approvals: readonly CheckedApproval[]
  /** Epoch milliseconds. No block after this time may include it. */
  expiresAt: number
  isExpired: boolean
  /** Null without a node that answers. */
  weight: Weight | null
}

/**
 * Reads a transaction file and checks all that can be checked, without a node or with one.
 *
 * @throws {TransactionFileError} also if it belongs to another chain than the settings name.
 */
export async function inspectTransaction(
  path: string,
  {
    settings,
    open = nodesOf(settings),
    now = Date.now,
    terminal,
  }: {
    settings: TransactionSettings
    /** Opens the nodes; null without any. @default those of the settings */
    open?: (chainName: string) => Rpc | null
    /** @default Date.now */
    now?: () => number
    terminal: Pick<Terminal, 'warn'>
  },
): Promise<Inspection> {
  const file = await readTransactionFile(path)
  const { transaction } = file
  assertChain(file, settings.casperChainName)
  const action = await describeTransaction(transaction, settings)
  const approvals = await verifyApprovals(transaction)
  const expiresAt = transaction.timestampMs + transaction.ttlMs
  const rpc = open(transaction.chainName)
  const online = rpc === null ? null : await orOffline(readChain(rpc, transaction), terminal)
  // The chain's time decides. Without a node, this machine's clock is the best guess.
  const time = online === null ? now() : Math.max(...online.blockTimes)
  return {
    ...file,
    rpc,
    action,
    approvals,
    expiresAt,
    isExpired: time > expiresAt,
    weight: online === null ? null : weigh(online.account, approvals, action),
  }
}

const nodesOf =
  ({ casperRpcUrl, ...settings }: TransactionSettings) =>
  (casperChainName: string): Rpc | null =>
    casperRpcUrl === null ? null : openRpc({ ...settings, casperRpcUrl, casperChainName })

function assertChain({ path, transaction: { chainName } }: TransactionFile, wanted: string | null): void {
  if (wanted !== null && wanted !== chainName)
    throw new TransactionFileError({
      path,
      rule: `is a transaction of the chain ${JSON.stringify(chainName)}, and CASPER_CHAIN_NAME is ${wanted}; use the file or the setting of one chain`,
    })
}

async function verifyApprovals({ hash, approvals }: TransactionV1): Promise<CheckedApproval[]> {
  const message = decodeHex(hash, 'hash')
  return Promise.all(
    approvals.map(async ({ signer, signature }) => ({
      signer,
      key: formatAccountHash(accountHashOfHex(signer)),
      isValid: await verifySignature(signer, message, signature),
    })),
  )
}

async function readChain(rpc: Rpc, { initiator }: TransactionV1) {
  const name = formatAccountHash(initiator.accountHash)
  const [blockTimes, account] = await Promise.all([readBlockTimes(rpc), getAccount(rpc, name)])
  if (account === null)
    throw new PreflightError({
      reason: 'no_account',
      message: `the chain does not know the account ${name}; send it CSPR first`,
    })
  return { blockTimes, account }
}

/** Returns null, with a warning, if no node answers. */
async function orOffline<T>(answer: Promise<T>, { warn }: Pick<Terminal, 'warn'>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof AllNodesFailedError)) throw error
    warn(`the account's keys are not checked, because no node answers: ${error.message}`)
    return null
  }
}

function weigh(account: ParsedAccount, approvals: readonly CheckedApproval[], { code }: Action): Weight {
  const signed = new Set(approvals.filter(({ isValid }) => isValid).map(({ key }) => key))
  const keys = account.associatedKeys.map(({ accountHash, weight }) => ({
    key: formatAccountHash(accountHash),
    weight,
  }))
  const { deployment, keyManagement } = account.actionThresholds
  return {
    weight: keys.reduce((sum, { key, weight }) => sum + (signed.has(key) ? weight : 0), 0),
    needed: code === COMMITTEE ? keyManagement : deployment,
    others: keys.filter(({ key }) => !signed.has(key)),
    foreign: [...signed].filter((each) => !keys.some(({ key }) => key === each)),
  }
}

/** Asserts that a transaction can still be executed, and that no approval spoils it. */
export function assertUsable({ path, approvals, expiresAt, isExpired, weight }: Inspection): void {
  const invalid = approvals.find(({ isValid }) => !isValid)
  const fail = (rule: string): never => {
    throw new TransactionFileError({ path, rule })
  }
  if (invalid)
    fail(`has an invalid signature of the key ${invalid.signer}; get the file again from its other signers`)
  if (isExpired) fail(`expired at ${new Date(expiresAt).toISOString()}; write it again with --out`)
  const foreign = weight?.foreign[0]
  if (foreign !== undefined)
    fail(
      `has a signature of ${foreign}, a key that is not associated with the account; get the file without it`,
    )
}
