import { nextTask } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import type { AnyElysia } from 'elysia'
import { type ChainInProcess, type LocalClient, localClient } from 'wattfeed/testing/localClient'
import { createMetrics, type Metrics } from '../../../src/server/metrics.ts'
import { createStreamHub, type StreamHub, type StreamHubOptions } from '../../../src/server/stream/hub.ts'
import { createTestApp, createTestLog, type LoggedLine } from '../testApp.ts'

/** Time that a test advances. */
export function createManualClock() {
  let nowMs = 1_800_000_000_000
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => nowMs,
    schedule(run: () => void, ms: number) {
      timers.push({ at: nowMs + ms, run })
    },
    /** Runs due timers, second by second. */
    advance(ms: number) {
      for (const end = nowMs + ms; nowMs < end; ) {
        nowMs = Math.min(end, nowMs + 1_000)
        const due = timers.filter(({ at }) => at <= nowMs)
        timers = timers.filter(({ at }) => at > nowMs)
        for (const { run } of due) run()
      }
    },
  }
}

export type ManualClock = ReturnType<typeof createManualClock>

/** Waits until a condition holds; the test's own limit ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTask()
}

/** Runs everything that needs no time. */
export async function settle(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTask()
}

export interface StreamServer extends Pick<LocalClient, 'calls' | 'answerWith'> {
  app: AnyElysia
  streams: StreamHub
  metrics: Metrics
  lines: LoggedLine[]
}

/** A server of a chain that uses the test's clock. */
export function createStreamServer(
  chain: ChainInProcess,
  clock: ManualClock,
  answer: AnswerRpc = chain.answer,
  options: Partial<StreamHubOptions> = {},
): StreamServer {
  const { client, calls, answerWith } = localClient({ ...chain, answer })
  const metrics = createMetrics()
  const { log, lines } = createTestLog()
  const { now, schedule } = clock
  const streams = createStreamHub({ client, metrics, log, now, schedule, ...options })
  return { app: createTestApp({ client, metrics, log, streams }), streams, metrics, lines, calls, answerWith }
}

/** A block of Server-Sent Events. */
export interface Block {
  id?: string
  event?: string
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  data?: any
}

/** A client of the stream. */
export interface Listener {
  status: number
  /** The received blocks, without comments. */
  blocks: Block[]
  comments(): number
  /** The data of the events of a name. */
  dataOf(name: string): NonNullable<Block['data']>[]
  /** The position for resuming. */
  lastId(): string | null
  hasEnded(): boolean
  /** Pauses or resumes reading. */
  pause(isPaused: boolean): void
  leave(): Promise<void>
}

/** Opens a stream and reads it. */
export async function listenTo(
  server: Pick<StreamServer, 'app'>,
  query = '',
  headers: Record<string, string> = {},
): Promise<Listener> {
  const response = await server.app.handle(new Request(`http://localhost/v1/stream${query}`, { headers }))
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  const decoder = new TextDecoder()
  const blocks: Block[] = []
  let rest = ''
  let comments = 0
  let hasEnded = false
  let resume: (() => void) | null = null
  let paused: Promise<void> | null = null

  async function read(): Promise<void> {
    for (;;) {
      await paused
      const { done, value } = (await reader?.read().catch(() => null)) ?? { done: true, value: undefined }
      if (done) break
      rest += decoder.decode(value, { stream: true })
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const block = parseBlock(rest.slice(0, end))
        if (block === null) comments += 1
        else blocks.push(block)
        rest = rest.slice(end + 2)
      }
    }
    hasEnded = true
  }
  if (response.status === 200) read()
  return {
    status: response.status,
    blocks,
    comments: () => comments,
    dataOf: (name) => blocks.filter(({ event }) => event === name).map(({ data }) => data),
    lastId: () => blocks.findLast(({ id }) => id !== undefined)?.id ?? null,
    hasEnded: () => hasEnded,
    pause(isPaused) {
      resume?.()
      const waiting = Promise.withResolvers<void>()
      resume = waiting.resolve
      paused = isPaused ? waiting.promise : null
    },
    async leave() {
      resume?.()
      await reader?.cancel()
    },
  }
}

/** Null for a comment. */
function parseBlock(text: string): Block | null {
  if (text === ':') return null
  const block: Block = {}
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): (.*)$/.exec(line) ?? []
    if (name === 'data') block.data = JSON.parse(value)
    else if (name === 'id' || name === 'event') block[name] = value
    else throw new Error(`what is ${line}?`)
  }
  return block
}
