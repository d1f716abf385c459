import { join } from 'node:path'
import { exitCodes } from '../../../agent/exitCodes.ts'
import { loadFeeds, pickFeed } from '../../../agent/feeds/loadFeeds.ts'
import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { loadSigner } from '../../../casper/transaction/signer.ts'
import { connect } from '../../../client/createClient.ts'
import { acquireLock } from '../../../runtime/lockFile.ts'
import { sumMotes } from '../../amounts.ts'
import { startWaiting } from '../../progress.ts'
import { createRegistrationStore, registerFeeds } from '../registerFeeds.ts'
import {
  formatCount,
  formatRegistrationProgress,
  formatRegistrations,
  type RegistrationReport,
} from '../registrationReport.ts'
import type { Listener, Outcome } from './command.ts'

export interface RegisterOptions {
  dryRun?: boolean
  rescaleHistory?: boolean
}

/** `feeds register <id>`: without an id, all feeds of the file. One at a time, also beside a running agent. */
export async function register(
  settings: AgentSettings,
  feedId: string | undefined,
  { dryRun: isDryRun = false, rescaleHistory: rescalesHistory = false }: RegisterOptions,
  { warn, progress, milestone }: Listener,
): Promise<Outcome> {
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
