import { WattfeedError } from '@wattfeed/base'
import type { OutboxStep, SettledStep } from '../../agent/events.ts'
import { type FeedOutcome, transactionOf } from '../../agent/feedOutcome.ts'
import { Cycles } from '../../agent/run/cycle.ts'
import { type Platform, systemPlatform } from '../../agent/run/platform.ts'
import { loadKey } from '../../agent/run/runAgent.ts'
import { loadFeeds, pickFeed } from '../../feeds/file/loadFeeds.ts'
import { exitCodes } from '../../runtime/exitCodes.ts'
import type { CommandResult, Terminal } from '../../runtime/terminal.ts'
import type { Program, WriteOptions } from '../program.ts'
import type { FeedsSettings } from '../settings.ts'
import { formatAttest, reportAttest } from './attestReport.ts'
import { createWarningLog, openOneTimeAgent } from './oneTimeAgent.ts'
import { dryRunOption, runFeeds } from './runFeeds.ts'

const help = `
Fetches the newest value of one configured feed, decides as the agent does, and attests it if it is new. A transaction
that an interrupted run or agent left pending is settled first. Needs EIA_API_KEY; with --dry-run no
ATTESTER_KEY_PATH.

A feed of a dataset reads the whole dataset first, which may take an hour, and attests its root.

If the key does not sign alone, set COMMITTEE_PEERS: the command becomes a member of the committee until the value is
attested. Stop the agent of the same AGENT_STATE_DIR first. The other members must be running. It takes a few minutes,
because a member signs nothing in its first two.

In a committee, --accept-shrunk needs as many members as must sign: each stops its agent and runs the command, within five
minutes of the others. After it has read the dataset, it waits ten minutes.

Examples:
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --dry-run
  $ bun run feeds attest EIA.PET.PRICE.WTI.DAILY --json`

export function addAttest(program: Program): void {
  program
    .add('attest', 'fetch, check and attest one feed, as the agent does', help)
    .option(...dryRunOption)
    .argument('<id>', 'a feed of the feeds file')
    .option('--accept-shrunk', 'attest a dataset that has lost values, this once')
    .action((id: string, options: WriteOptions & AttestOptions) => {
      const needs = { writes: options.dryRun !== true, fetches: true }
      return runFeeds(program, 'attest', options, needs, (settings) =>
        attest(settings, id, options, program.terminal),
      )
    })
}

interface AttestOptions {
  dryRun?: boolean
  /** Whether a dataset that has shrunk is attested. */
  acceptShrunk?: boolean
}

/** Runs one cycle of the agent for one feed. */
export async function attest(
  settings: FeedsSettings,
  feedId: string,
  { dryRun: isDryRun = false, acceptShrunk: acceptsShrunk = false }: AttestOptions,
  terminal: Pick<Terminal, 'warn' | 'progress'>,
  platform: Platform = systemPlatform,
): Promise<CommandResult> {
  const feeds = await loadFeeds(settings.feedsFile)
  const feed = pickFeed(feeds, feedId)
  const signer = await loadKey(settings, createWarningLog(terminal.warn))
  const settlements: SettledStep[] = []
  const onStep = (step: OutboxStep): void => {
    if (step.step === 'settled') settlements.push(step)
  }
  const parts = { settings, signer, feeds, isDryRun, acceptsShrunk, terminal, platform, onStep }
  using opened = openOneTimeAgent({ ...parts, purpose: 'attest' })
  const { agent } = opened
  await using committee = await opened.join()
  const { openAttesting, keeper } = committee ?? agent
  const { openView, report } = agent
  const cycles = new Cycles({
    openAttesting,
    openView,
    report,
    patienceMs: null,
    maxSteps: null,
    wait: platform.wait,
    keeper,
    acceptsShrunk,
  })
  const [outcome] = await cycles.begin([feed]).outcomes
  if (outcome === undefined) throw new TypeError('the cycle returned no outcome for the feed')
  // An unexpected error is shown with its stack.
  if (outcome.error !== null && !(outcome.error instanceof WattfeedError)) throw outcome.error
  const result = reportAttest(settings.casperChainName, isDryRun, outcome, settlements)
  return { report: result, text: formatAttest(result), exitCode: exitCodeOfOutcome(outcome) }
}

function exitCodeOfOutcome(outcome: FeedOutcome): number {
  if (outcome.error === null) return exitCodes.done
  return transactionOf(outcome) === null ? exitCodes.notRun : exitCodes.someFailed
}
