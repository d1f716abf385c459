import { openState } from '../agent/state/openState.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { getBalance, getNamedKeys } from '../casper/transaction/account.ts'
import type { TransactionTerms } from '../casper/transaction/createTransaction.ts'
import {
  createDurableSender,
  type DurableSender,
  type DurableSenderOptions,
  type SendRequest,
} from '../casper/transaction/durableSender.ts'
import { assertExecuted } from '../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../casper/transaction/getTransaction.ts'
import { loadSigner, type Signer } from '../casper/transaction/signer.ts'
import type { Purpose } from '../casper/transaction/transactionStore.ts'
import { defineError } from '../defineError.ts'
import type { StateFile } from '../runtime/stateFile.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { formatCspr } from './amounts.ts'
import { formatStep, startWaiting } from './progress.ts'
import {
  formatWritten,
  type OutFile,
  type WrittenTransaction,
  writeTransaction,
} from './transaction/writeTransaction.ts'

/** The account that pays for a command's transactions, its nodes, and the store of pending transactions. */
export interface Payer<P extends Purpose> extends Omit<DurableSenderOptions<P>, 'concurrency'> {
  /** Whether everything is checked, and nothing is sent. @default false */
  isDryRun?: boolean
  /** The file to write a transaction to, instead of sending it. @default null */
  out?: OutFile | null
  onWritten?: (written: WrittenTransaction) => void
}

export interface PayerSettings extends TransactionTerms {
  keyPath: string | null
  account: string | null
  chainName: string
}

export interface PayerOptions<P extends Purpose> {
  settings: PayerSettings
  rpc: Rpc
  /** The folder of the state's file, usually `AGENT_STATE_DIR`. */
  stateDir: string
  /** What the command does: a word that other processes show. */
  purpose: string
  isDryRun?: boolean
  terminal: Pick<Terminal, 'warn' | 'progress'>
  /** Names a transaction in lines of progress. */
  nameOf: (purpose: P) => string
  out?: OutFile | null
}

/** A payer without a store, and the file for one. Dispose of it to close the file. */
export interface OpenPayer<P extends Purpose> extends Omit<Payer<P>, 'store'>, Disposable {
  state: StateFile
  isDryRun: boolean
}

/**
 * Loads the key of the account that pays, opens the state, and starts to report what the command waits for. No node is called
 * yet.
 */
export async function openPayer<P extends Purpose>({
  settings,
  rpc,
  stateDir,
  purpose,
  isDryRun = false,
  terminal,
  nameOf,
  out = null,
}: PayerOptions<P>): Promise<OpenPayer<P>> {
  const { chainName, transactionTtlMs, gasPriceTolerance } = settings
  const signer = await loadPayingSigner(settings, terminal)
  using resources = new DisposableStack()
  const state = resources.use(openState(stateDir, { purpose, isDryRun }))
  const waiting = resources.use(startWaiting({ rpc, say: terminal.warn }))
  const opened = resources.move()
  return {
    rpc,
    signer,
    state,
    isDryRun,
    chainName,
    transactionTtlMs,
    gasPriceTolerance,
    out,
    onWritten: (written) => terminal.warn(formatWritten(written)),
    onStep(step) {
      waiting.note(step)
      const line = formatStep(nameOf(step.pending.purpose), step)
      if (line !== null) terminal.progress(line)
    },
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

export async function loadPayingSigner(
  { keyPath, account }: Pick<PayerSettings, 'keyPath' | 'account'>,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<Signer> {
  const { signer, warning } = await loadSigner(keyPath, account)
  if (warning !== null) warn(warning)
  return signer
}

export interface Payment<P extends Purpose> extends SendRequest<P> {
  /** Whether a pending transaction is this one. */
  isSame: (pending: P) => boolean
  /** Whether it would have an effect. @throws if it would fail */
  isDue: () => Promise<boolean>
}

export type PaymentOutcome =
  /** It would have no effect. */
  | { state: 'done' }
  /** A dry run would send it. */
  | { state: 'planned'; paymentMotes: bigint }
  /** An earlier run sent it; a dry run does not follow it. */
  | { state: 'pending'; transactionHash: string }
  /** It was written to a file, for several keys to sign. */
  | { state: 'written'; written: WrittenTransaction }
  | { state: 'executed'; executed: ExecutedTransaction }

/**
 * Settles the transactions that an earlier run left pending. Then sends a transaction, unless it was one of those or
 * would have no effect. If the payer has a file for it, it is written there instead.
 *
 * @throws {PreflightError} before anything is sent; also the errors of `isDue`, `DurableSender` and `sendTransaction`.
 */
export async function pay<P extends Purpose>(payment: Payment<P>, payer: Payer<P>): Promise<PaymentOutcome> {
  const { isSame, isDue, ...request } = payment
  const { paymentMotes } = request
  const sender = createDurableSender<P>(payer)
  const earlier = payer.isDryRun ? await findPending(payment, payer) : await resume(payment, sender)
  if (earlier !== null) return earlier
  if (!(await isDue())) return { state: 'done' }
  assertBalance(await readAccount(payer.rpc, payer.signer), paymentMotes, payer)
  if (payer.isDryRun) return { state: 'planned', paymentMotes }
  const written = await writeOut(request, payer)
  if (written !== null) return { state: 'written', written }
  const { settlement } = await sender.send({ prepare: () => request })
  return { state: 'executed', executed: assertExecuted(settlement) }
}

export async function writeOut<P extends Purpose>(
  request: SendRequest<P>,
  { out = null, onWritten, ...payer }: Payer<P>,
): Promise<WrittenTransaction | null> {
  if (out === null) return null
  const written = await writeTransaction(request, { ...payer, out })
  onWritten?.(written)
  return written
}

async function findPending<P extends Purpose>(
  { isSame }: Payment<P>,
  { store }: Payer<P>,
): Promise<PaymentOutcome | null> {
  const found = (await store.list()).find(({ purpose }) => isSame(purpose))
  return found ? { state: 'pending', transactionHash: found.transaction_hash } : null
}

/** Returns null if this payment was not pending, or expired. @throws if one failed or is not settled. */
async function resume<P extends Purpose>(
  { isSame }: Payment<P>,
  sender: DurableSender<P>,
): Promise<PaymentOutcome | null> {
  const left = (await sender.resume()).filter(({ settlement }) => settlement.outcome !== 'expired')
  const executed = left.map(({ settlement }) => assertExecuted(settlement))
  const own = executed[left.findIndex(({ pending }) => isSame(pending.purpose))]
  return own === undefined ? null : { state: 'executed', executed: own }
}

type PreflightReason =
  | 'no_account'
  | 'balance'
  | 'not_owner'
  | 'old_version'
  | 'locked'
  | 'no_access'
  | 'not_installed'
  | 'deployment_file'
  | 'written'

export const PreflightError = defineError(
  'PreflightError',
  'preflight',
  (facts: { reason: PreflightReason; message: string }) => facts.message,
)
export type PreflightError = InstanceType<typeof PreflightError>

export interface Account {
  balanceMotes: bigint
  namedKeys: ReadonlyMap<string, string>
}

export async function readAccount(rpc: Rpc, { publicKey, accountHash, initiator }: Signer): Promise<Account> {
  const balanceMotes = await getBalance(rpc, initiator)
  if (balanceMotes === null)
    throw new PreflightError({
      reason: 'no_account',
      message: `the chain does not know ${accountHash} (public key ${publicKey}); send it CSPR first`,
    })
  return { balanceMotes, namedKeys: await getNamedKeys(rpc, initiator) }
}

/** Asserts that the account can pay for everything to be sent, at the highest gas price that is tolerated. */
export function assertBalance(
  { balanceMotes }: Pick<Account, 'balanceMotes'>,
  paymentMotes: bigint,
  { gasPriceTolerance = 1 }: Partial<TransactionTerms>,
): void {
  const neededMotes = paymentMotes * BigInt(gasPriceTolerance)
  if (balanceMotes < neededMotes)
    throw new PreflightError({
      reason: 'balance',
      message: `the account has ${formatCspr(balanceMotes)}, but the payments come to ${formatCspr(neededMotes)}; send it ${formatCspr(neededMotes - balanceMotes)} more`,
    })
}

export const notSent = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
}

export const executionFields = ({ blockHeight, consumedMotes, chargedMotes }: ExecutedTransaction) => ({
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})

export const writtenFields = ({
  file,
  transactionHash,
  expiresAt,
  paymentMotes,
  isSigned,
}: WrittenTransaction) => ({
  file,
  transaction_hash: transactionHash,
  expires_at: new Date(expiresAt).toISOString(),
  is_signed: isSigned,
  payment_motes: paymentMotes.toString(),
})
