import type { WattfeedError } from '@wattfeed/base'
import type { OutboxStep } from '../../../agent/events.ts'
import { assertVerified } from '../../../agent/plan/assertAttestable.ts'
import { maySignAlone } from '../../../agent/run/joinCommittee.ts'
import { type Platform, systemPlatform } from '../../../agent/run/platform.ts'
import { type FeedConfig, isDataset, type SeriesConfig } from '../../../feeds/file/feedConfig.ts'
import { loadFeeds, pickFeed } from '../../../feeds/file/loadFeeds.ts'
import { errorFields } from '../../../runtime/errorFields.ts'
import { exitCodes } from '../../../runtime/exitCodes.ts'
import type { CommandResult, Terminal } from '../../../runtime/terminal.ts'
import { loadPayingSigner } from '../../openPayer.ts'
import type { JsonOption, Program } from '../../program.ts'
import type { FeedsSettings } from '../../settings.ts'
import { openOneTimeAgent } from '../oneTimeAgent.ts'
import { dryRunOption, runFeeds } from '../runFeeds.ts'
import { type BackfillReport, formatBackfill } from './backfillReport.ts'
import { type BackfillRun, type BackfillState, noteStep } from './backfillState.ts'
import { BackfillError, periodText, readRange } from './planBackfill.ts'
import { runBackfill } from './runBackfill.ts'

const help = `
Attests a feed's past as EIA has it now, oldest period first, with as many values in a transaction as fit. It prints the
cost before it starts, and its progress every ten seconds. Values that cannot be attested (withheld, negative, another
unit, …) are skipped and listed. Give periods as EIA writes them for the feed's frequency.

Readers take the last attested value for the newest one, so they see old periods until the backfill ends. Backfill a feed
before you announce it. A running agent skips the feed until then ("backfilling"). After an interruption, the same command
resumes with the next period, and nothing is attested twice.

If the key does not sign alone, set COMMITTEE_PEERS and pass --and-restate: the command becomes a member of the
committee until the backfill ends. Stop the agent of the same AGENT_STATE_DIR first. The other members must be running,
and compare each past value with EIA.

In a committee of five, that attests about 70 past values an hour.

The command attests the periods of the range that the chain lacks. They must all be later than the feed's newest value,
as in a feed without values or after an interruption.

With --and-restate, earlier periods are allowed: each transaction is all or nothing and ends with the feed's newest
value again, so readers always see that value as the newest. That costs more, and adds the newest value to the history
with each transaction.

Examples:
  $ bun run feeds backfill EIA.PET.PRICE.WTI.DAILY --from 2024-01-02 --dry-run
  $ bun run feeds backfill EIA.PET.PRICE.WTI.DAILY --from 1986-01-02 --to 2019-12-31 --and-restate --json`

export function addBackfill(program: Program): void {
  program
    .add('backfill', 'attest the past of one feed, oldest first', help)
    .option(...dryRunOption)
    .argument('<id>', 'a feed of the feeds file')
    .requiredOption(
      '--from <period>',
      'the first period, as EIA writes it: 2020-01-31, 2020-01, 2020-Q1, 2020',
    )
    .option('--to <period>', 'the last period (default: the newest)')
    .option(
      '--and-restate',
      'allow a feed with later values: each transaction ends with the newest value again',
    )
    .action((id: string, options: JsonOption & BackfillOptions) => {
      const needs = { writes: options.dryRun !== true, fetches: true }
      return runFeeds(program, 'backfill', options, needs, (settings) =>
        backfill(settings, id, options, program.terminal),
      )
    })
}

export interface BackfillOptions {
  /** A period as EIA writes it. */
  from: string
  /** @default the newest */
  to?: string
  dryRun?: boolean
  andRestate?: boolean
}

export interface BackfillParts {
  platform: Platform
  /** Called with every step of every transaction, and awaited. If it throws, the command stops there. */
  onStep?: (step: OutboxStep) => unknown
}

/** Attests the past of a feed, also beside a running agent. */
export async function backfill(
  settings: FeedsSettings,
  feedId: string,
  { dryRun: isDryRun = false, andRestate: restates = false, ...periods }: BackfillOptions,
  terminal: Pick<Terminal, 'warn' | 'progress' | 'milestone'>,
  { platform, onStep }: BackfillParts = { platform: systemPlatform },
): Promise<CommandResult> {
  const feeds = await loadFeeds(settings.feedsFile)
  const feed = assertSeries(pickFeed(feeds, feedId))
  const range = readRange(feed, periods)
  assertVerified(feed, settings.casperChainName)
  const signer =
    isDryRun && settings.attesterKeyPath === null ? null : await loadPayingSigner(settings, terminal)
  const state: BackfillState = {
    plan: null,
    attested: 0,
    hasSent: false,
    transactions: 0,
    chargedMotes: 0n,
    saidAt: 0,
    isTogether: false,
  }
  const listen = async (step: OutboxStep): Promise<void> => {
    await onStep?.(step)
    noteStep(feedId, step, state, terminal)
  }
  const parts = { settings, signer, feeds, isDryRun, terminal, platform, onStep: listen }
  using opened = openOneTimeAgent({ ...parts, purpose: 'backfill' })
  const { agent } = opened
  state.isTogether =
    settings.committeePeers !== null && signer !== null && !(await maySignAlone(agent.rpc, signer))
  await using committee = await opened.join()
  // Taken before the chain is read: from here on, no other process attests to the feed.
  using _feed = isDryRun ? null : agent.store.hold(feedId)
  const run: BackfillRun = {
    agent,
    settings,
    signer,
    committee,
    feed,
    range,
    restates,
    isDryRun,
    platform,
    listener: terminal,
    state,
  }
  const error = await runBackfill(run)
  const report = reportOf(settings.casperChainName, run, error)
  return {
    report,
    text: formatBackfill(report),
    exitCode: error === null ? exitCodes.done : exitCodes.someFailed,
  }
}

/** EIA has the dataset only as it is now, so its earlier roots cannot be made. @throws {BackfillError} */
function assertSeries(feed: FeedConfig): SeriesConfig {
  if (!isDataset(feed)) return feed
  const { feed_id: feedId } = feed
  throw new BackfillError({
    feedId,
    reason: 'dataset',
    message: `its values are roots of the whole dataset, and EIA does not tell how the dataset was earlier; "feeds attest ${feedId}" attests it as it is now`,
  })
}

function reportOf(
  chainName: string,
  { feed, isDryRun, state: { plan, attested, transactions, chargedMotes } }: BackfillRun,
  error: WattfeedError | null,
): BackfillReport {
  const { groups = [], periods = [], heldPeriods = 0, leftOut = [], estimatedMotes = 0n } = plan ?? {}
  const [first, last] = [periods[0], periods.at(-1)]
  return {
    command: 'backfill',
    chain_name: chainName,
    feed_id: feed.feed_id,
    is_dry_run: isDryRun,
    periods: periods.length,
    from: first === undefined ? null : periodText(feed, first),
    to: last === undefined ? null : periodText(feed, last),
    attested,
    transactions: isDryRun ? groups.length : transactions,
    held: heldPeriods,
    left_out: leftOut,
    estimated_motes: `${estimatedMotes}`,
    charged_motes: `${chargedMotes}`,
    error: error && errorFields(error),
  }
}
