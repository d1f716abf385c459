import { join } from 'node:path'
import type { Command } from 'commander'
import { exitCodes } from '../../agent/exitCodes.ts'
import { loadFeeds, pickFeed } from '../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { loadSigner } from '../../casper/transaction/signer.ts'
import { connect } from '../../client/createClient.ts'
import { acquireLock } from '../../runtime/lockFile.ts'
import type { CommandResult, Terminal } from '../../runtime/terminal.ts'
import { sumMotes } from '../amounts.ts'
import type { JsonOption, Program } from '../program.ts'
import { startWaiting } from '../progress.ts'
import { createRegistrationStore, registerFeeds } from './registerFeeds.ts'
import {
  formatCount,
  formatRegistrationProgress,
  formatRegistrations,
  type RegistrationReport,
} from './registrationReport.ts'
import { dryRunOption, runFeeds } from './settings.ts'

const help = `
Registers a configured feed, or updates its metadata if they differ; a feed that is on chain as configured is left
alone. A new feed needs an account that the registry's gate says is eligible ("bun run eligibility"), and
becomes that account's; a known one its claimant. Pays 2.5 CSPR, or 5 CSPR if the description is longer than
290 characters; a quarter of the unused payment is lost. Up to 16 transactions are on their way at once, and where
one fails the others go on. A transaction that an interrupted run has sent is followed, not repeated.

What would change is shown field by field, also with --dry-run. Values on chain are amounts, which "decimals" and "unit"
give their meaning: where a feed has values, another of the two is refused. Give the feed another id, or pass
--rescale-history if the values are to read differently.

Examples:
  $ bun run feeds register EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds register --all
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    FEED_REGISTRY_PACKAGE_HASH=… ATTESTATION_REGISTRY_PACKAGE_HASH=… ATTESTER_KEY_PATH=keys/secret_key.pem \\
    bun run feeds register --all --json`

/** `feeds register <id>` */
export function addRegister(program: Program): void {
  program
    .add('register', 'register a configured feed, or its changed metadata', help)
    .option(...dryRunOption)
    .argument('[id]', 'one feed of the feeds file')
    .option('--all', 'every feed of the feeds file')
    .option('--rescale-history', 'also change decimals or unit of a feed that has values')
    .action(
      (
        id: string | undefined,
        { all = false, ...options }: JsonOption & RegisterOptions & { all?: boolean },
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

export interface RegisterOptions {
  dryRun?: boolean
  rescaleHistory?: boolean
}

/** Registers a feed; without an id, all feeds of the file. One at a time, also beside a running agent. */
async function register(
  settings: AgentSettings,
  feedId: string | undefined,
  { dryRun: isDryRun = false, rescaleHistory: rescalesHistory = false }: RegisterOptions,
  { warn, progress, milestone }: Pick<Terminal, 'warn' | 'progress' | 'milestone'>,
): Promise<CommandResult> {
  const { chainName, feedRegistryPackageHash, paymentMotes, stateDir, keyPath, account } = settings
  const all = await loadFeeds(settings.feedsFile)
  const configs = feedId === undefined ? all : [pickFeed(all, feedId)]
  using _ = isDryRun ? null : acquireLock(join(stateDir, 'registrations.lock'), 'register')
  const { signer, warning } = await loadSigner(keyPath, account)
  if (warning !== null) warn(warning)
  const { rpc, client } = connect({ ...settings, fetch: (url, init) => fetch(url, init) })
  using waiting = startWaiting({ rpc, say: warn })
  const feeds = await registerFeeds(
    {
      rpc,
      client,
      signer,
      transactionTtlMs: settings.transactionTtlMs,
      gasPriceTolerance: settings.gasPriceTolerance,
      chainName,
      feedRegistryPackageHash,
      paymentMotes,
      rescalesHistory,
      isDryRun,
      store: createRegistrationStore(settings),
      follow: {},
      onProgress(event) {
        waiting.note(event)
        progress(formatRegistrationProgress(event))
      },
      onCount(count) {
        const line = formatCount(count)
        if (line !== null) milestone(line)
      },
    },
    configs,
  )
  const report = {
    command: 'register' as const,
    chain_name: chainName,
    account: signer.accountHash,
    is_dry_run: isDryRun,
    feeds,
    ...sumMotes(feeds),
  }
  return { report, text: formatRegistrations(report), exitCode: exitCodeOfRegistrations(feeds) }
}

/** Returns 1 if everything was refused and nothing sent, 2 if some was refused or something sent did not succeed. */
export function exitCodeOfRegistrations(feeds: readonly RegistrationReport[]): number {
  const wrong = feeds.filter(({ error }) => error !== null)
  if (wrong.length === 0) return exitCodes.done
  const isNothingSent = feeds.every(({ state }) => state === 'refused')
  return isNothingSent ? exitCodes.notRun : exitCodes.someFailed
}
