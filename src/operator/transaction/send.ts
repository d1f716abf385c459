import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { defineError } from '@wattfeed/base'
import { acquireLock } from '@wattfeed/base/disk'
import type { Rpc } from '@wattfeed/casper'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import {
  assertExecuted,
  deliverStored,
  type ExecutedTransaction,
  type FollowOptions,
  getBalance,
  getTransaction,
  pendingOf,
  TransactionFailedError,
  type TransactionStore,
} from '@wattfeed/casper/transaction'
import { formatAccountHash } from '@wattfeed/casper/types'
import { openState } from '../../agent/state/openState.ts'
import type { CommandResult, Terminal } from '../../runtime/terminal.ts'
import { formatCost } from '../amounts.ts'
import { runPaying } from '../exitCode.ts'
import { executionFields } from '../outcomeFields.ts'
import { assertBalance } from '../preflight.ts'
import type { JsonOption, Program } from '../program.ts'
import { formatStep, startWaiting } from '../progress.ts'
import { readSettings, transactionSettings } from '../settings.ts'
import { assertUsable, type Inspection, inspectTransaction, type Weight } from './inspectTransaction.ts'
import { TransactionFileError } from './transactionFile.ts'

const WeightError = defineError('WeightError', 'weight', (facts: { path: string; weight: Weight }) => {
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

export const FilePurpose = Type.Object({ kind: Type.Literal('file'), path: Type.String() })
type FilePurpose = Static<typeof FilePurpose>

export function addSend(program: Program): void {
  program
    .add('send', 'send a transaction that enough keys have signed', help)
    .argument('<file>', 'the transaction')
    .action((path: string, { json }: JsonOption) =>
      runPaying(program, { name: 'send', json }, (onStep) => send(program, path, onStep)),
    )
}

async function send(
  program: Program,
  path: string,
  onStep: NonNullable<SendFileOptions['onStep']>,
): Promise<CommandResult> {
  const { terminal } = program
  const settings = readSettings(program, transactionSettings, ['CASPER_RPC_URL', 'CASPER_CHAIN_NAME'])
  const inspection = await inspectTransaction(path, { settings, terminal })
  const { hash, chainName, initiator, paymentMotes } = inspection.transaction
  using _ = acquireLock(join(settings.agentStateDir, `${hash}.lock`), 'send')
  using state = openState(settings.agentStateDir, { purpose: 'send' })
  const account = formatAccountHash(initiator.accountHash)
  const store = createSqliteStore({
    state,
    destination: { chainName, contract: 'files', account },
    purpose: FilePurpose,
  })
  const executed = await sendTransactionFile(inspection, { store, terminal, onStep })
  const report = {
    command: 'send',
    file: path,
    chain_name: chainName,
    state: 'executed',
    transaction_hash: hash,
    payment_motes: paymentMotes.toString(),
    ...executionFields(executed),
  }
  return { report, text: `${hash} executed in block ${executed.blockHeight}, ${formatCost(report)}` }
}

export interface SendFileOptions extends Pick<FollowOptions, 'pollMs' | 'wait' | 'now' | 'signal'> {
  store: TransactionStore
  terminal: Pick<Terminal, 'warn' | 'progress'>
  /** Called with every step; also if someone has sent it before. */
  onStep?: (sendStep: { readonly step: string }) => void
}

/**
 * Sends the transaction of a file, and waits until it is executed. Does not send one that is executed already.
 *
 * @throws {TransactionFileError | WeightError | PreflightError} before it is sent; then what `sendTransaction` throws.
 */
export async function sendTransactionFile(
  inspection: Inspection,
  { store, terminal, onStep = () => {}, ...follow }: SendFileOptions,
): Promise<ExecutedTransaction> {
  const { path, rpc, transaction, json, expiresAt } = inspection
  if (rpc === null) throw new Error('no node to send to; set CASPER_RPC_URL')
  const { hash, initiator, chainName, paymentMotes, gasPriceTolerance } = transaction
  const known = await getTransaction(rpc, hash)
  if (known.state === 'executed') return assertSuccess(known.executed)
  assertUsable(inspection)
  await assertPayable(inspection, rpc)
  using waiting = startWaiting({ rpc, say: terminal.warn })
  const stored = pendingOf(
    { hash, expiresAt, transaction: json },
    {
      chain_name: chainName,
      payment_motes: (paymentMotes * BigInt(gasPriceTolerance)).toString(),
      purpose: { kind: 'file', path } satisfies FilePurpose,
    },
  )
  const isSentBefore =
    known.state === 'pending' ||
    (await store.list()).some(({ transaction_hash }) => transaction_hash === hash)
  if (isSentBefore) onStep({ step: 'pending' })
  const { settlement } = await deliverStored(stored, {
    ...follow,
    rpc,
    signer: initiator,
    store,
    isSentBefore,
    isShared: false,
    onStep(step) {
      onStep(step)
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
