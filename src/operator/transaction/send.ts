import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { openState } from '../../agent/state/openState.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getBalance } from '../../casper/transaction/account.ts'
import { deliverStored } from '../../casper/transaction/durableSender.ts'
import {
  assertExecuted,
  type FollowOptions,
  TransactionFailedError,
} from '../../casper/transaction/followTransaction.ts'
import { type ExecutedTransaction, getTransaction } from '../../casper/transaction/getTransaction.ts'
import type { Destination } from '../../casper/transaction/pendingRows.ts'
import { createSqliteStore, type SqliteStore } from '../../casper/transaction/sqliteStore.ts'
import { createPending, type TransactionStore } from '../../casper/transaction/transactionStore.ts'
import { formatAccountHash } from '../../casper/types/account.ts'
import { defineError } from '../../defineError.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import type { StateFile } from '../../runtime/stateFile.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { formatCost } from '../amounts.ts'
import { exitCodeOf } from '../exitCode.ts'
import { assertBalance, executionFields } from '../pay.ts'
import type { JsonOption, Program } from '../program.ts'
import { formatStep, startWaiting } from '../progress.ts'
import { assertUsable, type Inspection, inspectTransaction, type Weight } from './inspectTransaction.ts'
import { readTransactionSettings } from './settings.ts'
import { TransactionFileError } from './transactionFile.ts'

export const WeightError = defineError('WeightError', 'weight', (facts: { path: string; weight: Weight }) => {
  const { weight: signed, needed, others } = facts.weight
  const keys = others.map(({ key, weight }) => `${key} (weight ${weight})`)
  return `the signatures in ${facts.path} weigh ${signed}, and the account needs ${needed}; let more of these keys sign it: ${keys.join(', ')}`
})

const help = `
Checks the signatures and their weight, the account's balance and the time, sends the transaction to every node, and waits
until it is executed. No key is needed. The transaction is stored in AGENT_STATE_DIR until it is settled; sending the same
file again resumes it. Several people may send the same file: it is executed once.

Example:
  $ bun run transaction send install.json --json`

export interface FilePurpose {
  kind: 'file'
  path: string
}

export const createFileStore = (state: StateFile, destination: Destination): SqliteStore<FilePurpose> =>
  createSqliteStore({
    state,
    destination,
    purpose: Type.Object({ kind: Type.Literal('file'), path: Type.String() }),
  })

export function addSend(program: Program): void {
  const { terminal } = program
  program
    .add('send', 'send a transaction that enough keys have signed', help)
    .argument('<file>', 'the transaction')
    .action((path: string, { json }: JsonOption) => {
      let hasSent = false
      const onSent = (): void => {
        hasSent = true
      }
      return terminal.run(
        { name: 'send', json, exitCodeOf: (error) => exitCodeOf(error, hasSent) },
        async () => {
          const settings = readTransactionSettings(program, ['CASPER_RPC_URL', 'CASPER_CHAIN_NAME'])
          const inspection = await inspectTransaction(path, { settings, terminal })
          const { hash, chainName } = inspection.transaction
          using _ = acquireLock(join(settings.stateDir, `${hash}.lock`), 'send')
          using state = openState(settings.stateDir, { purpose: 'send' })
          const account = formatAccountHash(inspection.transaction.initiator.accountHash)
          const store = createFileStore(state, { chainName, contract: 'files', account })
          const executed = await sendTransactionFile(inspection, { store, terminal, onSent })
          const report = {
            command: 'send',
            file: path,
            chain_name: chainName,
            state: 'executed',
            transaction_hash: hash,
            payment_motes: inspection.transaction.paymentMotes.toString(),
            ...executionFields(executed),
          }
          return { report, text: `${hash} executed in block ${executed.blockHeight}, ${formatCost(report)}` }
        },
      )
    })
}

export interface SendFileOptions extends Pick<FollowOptions, 'pollMs' | 'wait' | 'now' | 'signal'> {
  store: TransactionStore<FilePurpose>
  terminal: Pick<Terminal, 'warn' | 'progress'>
  /** Called before it is sent: from then on it may be executed. */
  onSent?: () => void
}

/**
 * Sends the transaction of a file, and waits until it is executed. Does not send one that is executed already.
 *
 * @throws {TransactionFileError | WeightError | PreflightError} before it is sent; then what `sendTransaction` throws.
 */
export async function sendTransactionFile(
  inspection: Inspection,
  { store, terminal, onSent = () => {}, ...follow }: SendFileOptions,
): Promise<ExecutedTransaction> {
  const { path, rpc, transaction, json, expiresAt } = inspection
  if (rpc === null) throw new Error('no node to send to; set CASPER_RPC_URL')
  const { hash, initiator, chainName, paymentMotes, gasPriceTolerance } = transaction
  const known = await getTransaction(rpc, hash)
  if (known.state === 'executed') return assertSuccess(known.executed)
  assertUsable(inspection)
  await assertPayable(inspection, rpc)
  using waiting = startWaiting({ rpc, say: terminal.warn })
  const stored = createPending<FilePurpose>(
    { hash, expiresAt, transaction: json },
    {
      chain_name: chainName,
      payment_motes: (paymentMotes * BigInt(gasPriceTolerance)).toString(),
      purpose: { kind: 'file', path },
    },
  )
  const isSentBefore =
    known.state === 'pending' ||
    (await store.list()).some(({ transaction_hash }) => transaction_hash === hash)
  if (isSentBefore) onSent()
  const { settlement } = await deliverStored(stored, {
    ...follow,
    rpc,
    signer: initiator,
    store,
    isSentBefore,
    isShared: false,
    onStep(step) {
      if (step.step === 'written') onSent()
      waiting.note(step)
      const line = formatStep(path, step)
      if (line !== null) terminal.progress(line)
    },
  })
  return assertExecuted(settlement)
}

function assertSuccess(executed: ExecutedTransaction): ExecutedTransaction {
  if (executed.errorMessage === null) return executed
  throw new TransactionFailedError({ executed })
}

async function assertPayable({ path, weight, transaction }: Inspection, rpc: Rpc): Promise<void> {
  if (weight === null)
    throw new TransactionFileError({
      path,
      rule: 'was not sent, because no node reports the keys of its account; send it again',
    })
  if (weight.weight < weight.needed) throw new WeightError({ path, weight })
  const account = formatAccountHash(transaction.initiator.accountHash)
  const balanceMotes = (await getBalance(rpc, account)) ?? 0n
  assertBalance({ balanceMotes }, transaction.paymentMotes, transaction)
}
