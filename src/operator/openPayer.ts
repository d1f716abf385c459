import { acquireLock, type StateFile } from '@wattfeed/base/disk'
import type { Rpc } from '@wattfeed/casper'
import type { Destination } from '@wattfeed/casper/sqlite'
import {
  loadSigner,
  type Purpose,
  type Signer,
  type TransactionStore,
  type TransactionTerms,
} from '@wattfeed/casper/transaction'
import { openState } from '../agent/state/openState.ts'
import type { Terminal } from '../runtime/terminal.ts'
import type { Payer } from './payAll.ts'
import { outFileOf, type PaidOptions } from './program.ts'
import { formatStep, startWaiting } from './progress.ts'
import type { PayingSettings } from './settings.ts'
import { formatWritten } from './transaction/writeTransaction.ts'

/** The settings of the account that pays. */
export type PayerSettings = Pick<PayingSettings, 'attesterKeyPath' | 'attesterAccount' | 'casperChainName'> &
  TransactionTerms

/** Where a command keeps its pending transactions. */
export interface StorePlace {
  state: StateFile
  destination: Destination
}

interface PayingCommand {
  settings: PayerSettings
  rpc: Rpc
  terminal: Pick<Terminal, 'warn' | 'progress'>
  /** The folder of the state's file, usually `AGENT_STATE_DIR`. */
  stateDir: string
  /** What the command does: a word that other processes show. */
  purpose: string
  /** The file to lock, and the word in it. */
  lock: readonly [path: string, purpose?: string]
  /** What the transactions act on, see {@link Destination}. */
  contract: string
  openStore: (place: StorePlace) => TransactionStore
  /** Names a transaction in lines of progress. */
  nameOf: (purpose: Purpose) => string
  onStep?: Payer['onStep']
}

/**
 * Loads the key of the account that pays, locks the store of its pending transactions and opens it, and starts to report what
 * the command waits for. A dry run locks nothing. No node is called yet. Dispose of it to close the store.
 */
export async function openPayer(
  { dryRun: isDryRun = false, ...options }: PaidOptions,
  command: PayingCommand,
): Promise<Payer & Disposable & { isDryRun: boolean }> {
  const { settings, rpc, terminal, stateDir, purpose, lock, contract, openStore, nameOf } = command
  const { casperChainName: chainName, transactionTtlMs, gasPriceTolerance } = settings
  const signer = await loadPayingSigner(settings, terminal)
  using resources = new DisposableStack()
  if (!isDryRun) resources.use(acquireLock(...lock))
  const state = resources.use(openState(stateDir, { purpose, isDryRun }))
  const store = openStore({ state, destination: { chainName, contract, account: signer.accountHash } })
  const waiting = resources.use(startWaiting({ rpc, say: terminal.warn }))
  const opened = resources.move()
  return {
    rpc,
    signer,
    store,
    isDryRun,
    chainName,
    transactionTtlMs,
    gasPriceTolerance,
    out: outFileOf(options),
    onWritten: (written) => terminal.warn(formatWritten(written)),
    onStep(step) {
      waiting.note(step)
      const line = formatStep(nameOf(step.pending.purpose), step)
      if (line !== null) terminal.progress(line)
      return command.onStep?.(step)
    },
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  }
}

/** Loads the key, and warns if others can read it. */
export async function loadPayingSigner(
  { attesterKeyPath, attesterAccount }: Pick<PayerSettings, 'attesterKeyPath' | 'attesterAccount'>,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<Signer> {
  const { signer, warning } = await loadSigner(attesterKeyPath, attesterAccount)
  if (warning !== null) warn(warning)
  return signer
}
