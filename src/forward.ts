import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { acquireLock } from '@wattfeed/base/disk'
import { Option } from 'commander'
import type { ForwardOutcome } from './forward/delivery.ts'
import { createJetStream } from './forward/jetStream.ts'
import { replayDeadLetters } from './forward/replayDeadLetters.ts'
import { runForward } from './forward/runForward.ts'
import {
  type ForwardOptions,
  type ForwardSettings,
  forwardSecrets,
  forwardSettings,
  readForwardSettings,
} from './forward/settings.ts'
import { openState } from './forward/state.ts'
import type { ForwardTarget } from './forward/target.ts'
import { isNats, positionText } from './forward/textTypes.ts'
import { createWebhook } from './forward/webhook.ts'
import { createCommand } from './runtime/createCommand.ts'
import { errorFields } from './runtime/errorFields.ts'
import type { Log } from './runtime/log.ts'
import { runUnattended } from './runtime/runUnattended.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { option } from './runtime/settings/option.ts'
import { createStopSignals, onStopSignal } from './runtime/stopSignal.ts'

interface Options extends ForwardOptions {
  feed?: string[]
  stream: string
  after?: string
  fromStart?: boolean
  json?: boolean
}

const exitCodes = { done: 0, ended: 1, someKept: 2 } as const

const help = `
Delivers every event at least once, in stream order. An event has the same id on every server and in every run.
The position is stored in FORWARD_STATE_DIR, and the next run resumes there. With NATS, it resumes after the last
message of the stream.

If a webhook does not answer 2xx, the event is retried after 1 s, then with doubled pauses up to 5 minutes, and not
before Retry-After.

An event becomes a dead letter in forward.db after FORWARD_ATTEMPTS failures. A 4xx other than 408, 425 and 429, or a
redirect, makes it one immediately. --replay sends dead letters again. HTTP 410 ends the program.

While NATS is down, events are retried.

Exit codes:
  0  stopped by a signal after the event in flight; with --replay, all delivered
  1  could not start or continue because of a setting, the server, the target or a file; no event is lost
  2  with --replay: some failed again

Settings, from the environment:
${formatSettings(forwardSettings)}

Examples:
  $ bun run forward --from https://feeds.example.com --to https://hooks.example.com/wattfeed
  $ bun run forward --from http://localhost:4030 --to nats://localhost:4222 --from-start
  $ bun run forward --replay --to https://hooks.example.com/wattfeed`

const streamName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  error: 'letters, digits, - and _, 1 to 64 of them',
})

export const forwardCommand = createCommand('forward')
  .description('Forwards the events of a server to a webhook or to NATS JetStream.')
  .option('--from <url>', 'the server')
  .option('--to <url>', 'the target: https://…, or nats://host:port or tls://host:port')
  .option('--feed <id>', 'this feed only; can be repeated', (id, ids: string[] = []) => [...ids, id])
  .option(
    '--stream <name>',
    'stream in JetStream; its subjects start with this name',
    option(streamName),
    'wattfeed',
  )
  .addOption(
    new Option(
      '--from-start',
      "start with the chain's first event if no position is stored (default: new events only), and after a reset",
    ).conflicts('after'),
  )
  .option('--after <position>', 'start after this position if none is stored', option(positionText))
  .addOption(new Option('--replay', 'send the dead letters again, then end').conflicts('from'))
  .option('--json', 'print one JSON object per line for each event on standard output')
  .addHelpText('after', help)
  .action(run)

async function run(options: Options): Promise<void> {
  const { stop, abandon, end } = createStopSignals(Bun.sleep, new Error('stopped'))
  onStopSignal(end)
  const unattended = {
    name: 'forward',
    abandon,
    wait: Bun.sleep,
    exitCodes: { failed: exitCodes.ended, abandoned: exitCodes.done },
    onError(error: Error, redact: (text: string) => string) {
      if (options.json)
        print({ command: 'forward', error: { ...errorFields(error), message: redact(error.message) } })
    },
  }
  const exitCode = await runUnattended(unattended, async (openRedacted) => {
    const settings = readForwardSettings(process.env, options)
    const { log } = openRedacted(settings.logLevel, forwardSecrets(settings))
    logStart(settings, log)
    try {
      return await runLocked(settings, options, stop, log)
    } catch (error) {
      // What was in flight is abandoned by an error.
      if (stop.aborted) return exitCodes.done
      throw error
    }
  })
  // A pending request would keep the process alive.
  process.exit(exitCode)
}

const print = (value: object): void => console.log(JSON.stringify(value))

function logStart({ from, to }: ForwardSettings, log: Log): void {
  log.info({ server: from === null ? null : new URL(from).origin, target: to.host }, 'starting')
}

/** Forwards, or sends the dead letters again, while holding the lock of the state's folder. Returns the exit code. */
async function runLocked(
  settings: ForwardSettings,
  options: Options,
  stop: AbortSignal,
  log: Log,
): Promise<number> {
  const { forwardStateDir: stateDir, from } = settings
  using _ = acquireLock(join(stateDir, 'lock'), 'forward')
  using state = openState(stateDir)
  await using target = openTarget(settings, options, log)
  const counts = { delivered: 0, dead_letter: 0 }
  const onOutcome = (outcome: ForwardOutcome): void => {
    counts[outcome.outcome] += 1
    if (options.json) print(outcomeFields(outcome))
  }
  using _progress = logProgress(counts, log)
  const delivery = { stop, target, state, log, onOutcome }
  if (from === null) {
    const { delivered, kept } = await replayDeadLetters(delivery)
    log.info({ delivered, kept }, 'replayed')
    if (options.json) print({ command: 'forward', delivered, kept })
    return kept === 0 ? exitCodes.done : exitCodes.someKept
  }
  const { feed: feeds = null, after, fromStart: isFromStart = false } = options
  await runForward({ ...delivery, from, feeds, after, isFromStart })
  log.info({ ...counts, position: state.readPosition() }, 'stopped')
  return exitCodes.done
}

function openTarget(
  { to: url, forwardTimeoutMs: timeoutMs, ...settings }: ForwardSettings,
  { stream, feed }: Options,
  log: Log,
): ForwardTarget {
  const { forwardSecret: secret, forwardAttempts: attempts, natsCreds: creds } = settings
  return isNats(url)
    ? createJetStream({ url, creds, stream, feeds: feed ?? null, timeoutMs, log })
    : createWebhook({ url, secret, attempts, timeoutMs, fetch: (url, init) => fetch(url, init) })
}

const PROGRESS_MS = 30_000

/** Logs periodically how many messages were forwarded, unless there were none. */
function logProgress(counts: Readonly<Record<ForwardOutcome['outcome'], number>>, log: Log): Disposable {
  let before = 0
  const timer = setInterval(() => {
    const total = counts.delivered + counts.dead_letter
    if (total !== before) log.info({ ...counts }, 'forwarding')
    before = total
  }, PROGRESS_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

const outcomeFields = ({ outcome, message, attempts, failure }: ForwardOutcome): object => ({
  outcome,
  id: message.id,
  type: message.type,
  feed_id: message.feedId,
  position: message.position,
  attempts,
  error: failure && errorFields(failure),
})

if (import.meta.main) await forwardCommand.parseAsync()
