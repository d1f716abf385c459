import { cpSync, existsSync, rmSync } from 'node:fs'
import { sleep } from '@wattfeed/base'
import type { OutboxStep } from '../../../src/agent/events.ts'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals, type Intervals } from '../../../src/agent/intervals.ts'
import { type AgentMetrics, createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import type { AgentHealth } from '../../../src/agent/monitor/health.ts'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { type FeedsFile, openFeedsFile } from '../../../src/feeds/file/feedsFile.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { pendingHashes } from '../../support/state.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import type { AgentDisk } from './agentDisk.ts'
import { pause } from './network.ts'

/** Starts, stops and kills the agent repeatedly. */
export interface AgentRuns {
  /** Starts it. While its feeds file is invalid or its disk full, starts it again every five minutes. */
  start(): Promise<void>
  /** Stops it with a signal, as an operator does. */
  stop(): Promise<void>
  /** Ends it like SIGKILL: its files stay in their present state. */
  kill(): void
  /** Kills it as soon as one of its transactions reaches this step; null cancels that. */
  killAt(step: OutboxStep['step'] | null): void
  /** Makes it read its feeds file. */
  reload(): void
  readonly isRunning: boolean
  /** Number of transactions that are stored and not settled. */
  pending(): number
  /** The answer of `/health`; null if nothing serves it. */
  health(): Promise<ServedHealth | null>
  /** The metrics of the current run by name, each summed over its labels. */
  metrics(): Promise<ReadonlyMap<string, number>>
}

/** The body of `/health`. */
export interface ServedHealth extends AgentHealth {
  httpStatus: number
}

export interface AgentRunsOptions {
  /** The disk of all its state folders. */
  disk: AgentDisk
  environment: Readonly<Record<string, string>>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  random: () => number
  /** Counts real work, for which virtual time waits. */
  track: VirtualTime['track']
  onOutcome: (outcome: FeedOutcome) => void
  onLog: (level: keyof Log, fields: object, message: string) => void
  /** Called with each violation. */
  object: (violation: string) => void
}

interface Run {
  signals: ReturnType<typeof createStopSignals>
  isDead: boolean
  metrics: AgentMetrics
  /** The port of its health endpoint; null before it serves. */
  port: number | null
  /** Resolves when it has polled a feed. Before, a full disk may end it. */
  polled: Promise<void>
  hasPolled: boolean
  ended: Promise<void>
}

// The agent polls the feeds file every five seconds by default, which would be most of a day's events.
const LOOK_MS = 600_000

const MINUTE_MS = 60_000

/** Mostly the defaults. Fewer polls of hourly feeds make a simulated day cheaper. */
export const intervals: Intervals = {
  ...defaultIntervals,
  hourly: 20 * MINUTE_MS,
  'local-hourly': 20 * MINUTE_MS,
  annual: 6 * 60 * MINUTE_MS,
}

/** Creates an agent that is not running yet. */
export function createAgentRuns(options: AgentRunsOptions): AgentRuns {
  const { disk, environment, random, object } = options
  let run: Run | null = null
  let [lives, lethal]: [number, OutboxStep['step'] | null] = [1, null]
  const stateDir = (life = lives): string => `${disk.folder}/state-${life}`

  function open(feedsFile: FeedsFile, log: Log): Run {
    const { promise: polled, resolve: notePoll } = Promise.withResolvers<void>()
    const opened: Run = {
      signals: createStopSignals((ms) => (opened.isDead ? Promise.resolve() : pause(ms))),
      isDead: false,
      metrics: createAgentMetrics(),
      port: null,
      polled,
      hasPolled: false,
      ended: Promise.resolve(),
    }
    const { signals } = opened
    const dead = new TypeError('a dead process does nothing')
    const alive = <T>(result: T): T => {
      if (opened.isDead) throw dead
      return result
    }
    opened.ended = runAgent({
      ...signals,
      settings: readAgentSettings(
        { ...environment, AGENT_STATE_DIR: stateDir() },
        { writes: true, fetches: true },
      ),
      feeds: feedsFile.feeds,
      feedsFile: slowly(feedsFile),
      nextReload: signals.nextReload,
      intervals,
      isOnce: false,
      isDryRun: false,
      log: {
        ...log,
        info(fields, message) {
          if ('port' in fields) opened.port = Number(fields.port)
          log.info(fields, message)
        },
      },
      metrics: opened.metrics,
      platform: {
        fetch: async (url, init) => alive(await options.fetch(url, alive(init))),
        now: Date.now,
        steadyNow: () => performance.now(),
        wait: (ms, signal) => (opened.isDead ? Promise.reject(dead) : sleep(ms, signal)),
        random,
      },
      async onEvent(event) {
        if (opened.isDead) return
        if (event.event === 'outcome') {
          opened.hasPolled = true
          notePoll()
          options.onOutcome(event.outcome)
        }
        if (event.event !== 'step' || event.step.step !== lethal) return
        lethal = null
        // Lets all other work that is ready at this moment finish first.
        await pause(0)
        kill()
      },
    }).catch((error) => {
      if (opened.isDead) return
      if (run === opened) run = null
      const isRefused = disk.isFull && !opened.hasPolled && `${error}`.endsWith('free some space')
      if (!isRefused) object(`the agent ended: ${error}`)
    })
    return opened
  }

  function kill(): void {
    if (run === null) return
    const dying = run
    run = null
    const from = stateDir()
    lives += 1
    // The killed agent's remaining work happens in its old folder.
    disk.withSpace(() => {
      if (existsSync(from)) cpSync(from, stateDir(), { recursive: true })
      rmSync(stateDir(lives - 3), { recursive: true, force: true })
    })
    dying.isDead = true
    dying.signals.end()
  }

  return {
    kill,
    killAt(step) {
      lethal = step
    },
    async start() {
      const log = logTo(options)
      while (run === null) {
        const path = environment.FEEDS_FILE ?? ''
        const feedsFile = await openFeedsFile({ path, feedIds: [], log, now: Date.now }).catch(() => null)
        if (feedsFile !== null) {
          run ??= open(feedsFile, log)
          await Promise.race([run.polled, run.ended])
        }
        if (run === null) await pause(300_000)
      }
    },
    async stop() {
      const stopping = run
      stopping?.signals.end()
      await stopping?.ended
      if (run === stopping) run = null
      // Closed databases have removed their logs, which may be megabytes.
      disk.fill(disk.isFull)
    },
    reload: () => run?.signals.reload(),
    get isRunning() {
      return run !== null
    },
    pending: () => disk.withSpace(() => pendingHashes(stateDir()).length),
    async health() {
      const port = run?.port ?? null
      if (port === null) return null
      return options.track(readHealth(port))
    },
    async metrics() {
      const samples = ((await run?.metrics.text()) ?? '').matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)
      const sums = new Map<string, number>()
      for (const [, name = '', value] of samples) sums.set(name, (sums.get(name) ?? 0) + Number(value))
      return sums
    },
  }
}

async function readHealth(port: number): Promise<ServedHealth> {
  const response = await fetch(`http://127.0.0.1:${port}/health`)
  return { ...(await response.json()), httpStatus: response.status }
}

const slowly = (file: FeedsFile): FeedsFile => ({
  get feeds() {
    return file.feeds
  },
  get state() {
    return file.state
  },
  pollMs: LOOK_MS,
  readChanges: file.readChanges,
})

function logTo({ onLog, object }: AgentRunsOptions): Log {
  const at = (level: keyof Log) => (fields: object, message: string) => {
    onLog(level, fields, message)
    if ('err' in fields && message === 'internal error')
      object(`${message}: ${Error.isError(fields.err) ? fields.err.stack : fields.err}`)
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}
