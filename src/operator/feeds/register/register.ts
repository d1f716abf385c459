import { join } from 'node:path'
import type { Command } from 'commander'
import { connect } from 'wattfeed/internal'
import type { Difference } from '../../../feeds/file/feedConfig.ts'
import { loadFeeds, pickFeed } from '../../../feeds/file/loadFeeds.ts'
import { exitCodes } from '../../../runtime/exitCodes.ts'
import { formatTable } from '../../../runtime/formatTable.ts'
import { printable } from '../../../runtime/printable.ts'
import { clientOptions } from '../../../runtime/settings/readerSettings.ts'
import type { CommandResult, Terminal } from '../../../runtime/terminal.ts'
import { formatCost, formatCspr, formatTotal, sumMotes, type Total } from '../../amounts.ts'
import { openPayer } from '../../openPayer.ts'
import type { StepCount } from '../../payAll.ts'
import { addOutOptions, type PaidOptions, type Program } from '../../program.ts'
import type { FeedsSettings } from '../../settings.ts'
import { dryRunOption, runFeeds } from '../runFeeds.ts'
import { formatDifference } from './planRegistration.ts'
import {
  MAX_REGISTRATIONS,
  openRegistrations,
  type RegistrationReport,
  registerFeeds,
  registrationOf,
} from './registerFeeds.ts'
import { LONG_PAYMENT_MOTES, MAX_SHORT_DESCRIPTION, SHORT_PAYMENT_MOTES } from './registerPayment.ts'

const help = `
Registers a configured feed, or updates its metadata if they differ. A feed that is up to date is skipped. A new feed needs
an account that the registry's gate calls eligible ("bun run eligibility"), which becomes its claimant. A known feed needs
its claimant.

It pays ${formatCspr(SHORT_PAYMENT_MOTES)}, or ${formatCspr(LONG_PAYMENT_MOTES)} if the description is longer than ${MAX_SHORT_DESCRIPTION} characters; a quarter of the unused payment is lost. Up
to ${MAX_REGISTRATIONS} transactions are in flight at once; if one fails, the others continue. A transaction of an interrupted run is
followed, not repeated.

Changes are shown field by field, also with --dry-run. "decimals" and "unit" give the amounts on chain their meaning, so
they cannot change once a feed has values. Give the feed another id, or pass --rescale-history to reinterpret its values.

Examples:
  $ bun run feeds register EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds register --all
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    FEED_REGISTRY_PACKAGE_HASH=… ATTESTATION_REGISTRY_PACKAGE_HASH=… ATTESTER_KEY_PATH=keys/secret_key.pem \\
    bun run feeds register --all --json`

export function addRegister(program: Program): void {
  addOutOptions(program.add('register', 'register a configured feed, or its changed metadata', help))
    .option(...dryRunOption)
    .argument('[id]', 'one feed of the feeds file')
    .option('--all', 'every feed of the feeds file')
    .option('--rescale-history', 'also change decimals or unit of a feed that has values')
    .action(
      (
        id: string | undefined,
        { all = false, ...options }: RegisterOptions & { all?: boolean },
        self: Command,
      ) => {
        if ((id === undefined) !== all) self.error('error: give the id of a feed, or --all')
        const needs = { writes: true, fetches: false }
        return runFeeds(program, 'register', options, needs, (settings) =>
          register(settings, id, options, program.terminal),
        )
      },
    )
}

interface RegisterOptions extends PaidOptions {
  rescaleHistory?: boolean
}

/** Registers a feed; without an id, all feeds of the file. An agent may run meanwhile, but no other `register`. */
async function register(
  settings: FeedsSettings,
  feedId: string | undefined,
  { rescaleHistory: rescalesHistory = false, ...options }: RegisterOptions,
  terminal: Terminal,
): Promise<CommandResult> {
  const { feedRegistryPackageHash, paymentMotes } = settings
  const { casperChainName: chainName, agentStateDir: stateDir } = settings
  const all = await loadFeeds(settings.feedsFile)
  const configs = feedId === undefined ? all : [pickFeed(all, feedId)]
  const { rpc, client } = connect({ ...clientOptions(settings), fetch: (url, init) => fetch(url, init) })
  using payer = await openPayer(options, {
    settings,
    rpc,
    terminal,
    stateDir,
    purpose: 'register',
    lock: [join(stateDir, 'registrations.lock'), 'register'],
    contract: feedRegistryPackageHash,
    openStore: openRegistrations,
    nameOf: (purpose) => printable(registrationOf(purpose).feed_id),
  })
  const registration = { ...payer, client, feedRegistryPackageHash, paymentMotes, rescalesHistory }
  const onCount = (count: StepCount): void => {
    const line = formatCount(count)
    if (line !== null) terminal.milestone(line)
  }
  const feeds = await registerFeeds({ ...registration, onCount }, configs)
  const report = {
    command: 'register' as const,
    chain_name: chainName,
    account: payer.signer.accountHash,
    is_dry_run: payer.isDryRun,
    feeds,
    ...sumMotes(feeds),
  }
  return { report, text: formatRegistrations(report), exitCode: exitCodeOfRegistrations(feeds) }
}

/**
 * Returns 1 if all feeds were rejected and nothing was sent, 2 if some were rejected or a transaction did not succeed.
 */
export function exitCodeOfRegistrations(feeds: readonly RegistrationReport[]): number {
  const wrong = feeds.filter(({ error }) => error !== null)
  if (wrong.length === 0) return exitCodes.done
  const isNothingSent = feeds.every(({ state }) => state === 'refused')
  return isNothingSent ? exitCodes.notRun : exitCodes.someFailed
}

interface RegistrationsReport extends Total {
  command: 'register'
  chain_name: string
  /** `account-hash-…` */
  account: string
  feeds: RegistrationReport[]
}

/** Formats the result of `register` for people. The changes are listed below each feed, one field per line. */
function formatRegistrations(report: RegistrationsReport): string {
  const { chain_name, account, feeds } = report
  const lines = feeds.length === 0 ? [] : formatTable(feeds.map(rowOf)).split('\n')
  return [
    `register on ${chain_name} as ${account}`,
    ...lines.flatMap((line, index) => [line, ...(feeds[index]?.differences ?? []).map(changeLine)]),
    formatTotal(report),
  ].join('\n')
}

const changeLine = (difference: Difference): string => printable(`  ${formatDifference(difference)}`)

function rowOf(report: RegistrationReport): string[] {
  const { feed_id, state, transaction_hash, error } = report
  return [feed_id, state.replace('_', ' '), formatCost(report), error?.message ?? transaction_hash ?? '']
}

const COUNT_EVERY = 10

/**
 * Formats the progress after every {@link COUNT_EVERY} feeds; otherwise null. Null for fewer feeds in total, because
 * each has its own line.
 */
export function formatCount({ done, total, paymentMotes }: StepCount): string | null {
  if (total < COUNT_EVERY) return null
  if (done === 0) return `${total} feeds to register, for ${formatCspr(paymentMotes)} at most`
  return done % COUNT_EVERY === 0 || done === total ? `${done} of ${total} feeds done` : null
}
