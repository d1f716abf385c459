import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { Webhook } from 'standardwebhooks'
import type { ChainInProcess } from 'wattfeed/testing/localClient'
import type { ForwardOutcome } from '../../src/forward/delivery.ts'
import { type ForwardOptions, runForward } from '../../src/forward/runForward.ts'
import { openState, type State } from '../../src/forward/state.ts'
import type { ForwardTarget } from '../../src/forward/target.ts'
import { createWebhook, type WebhookOptions } from '../../src/forward/webhook.ts'
import { listen } from '../../src/server/listen.ts'
import { createStreamServer } from '../server/stream/streamWorld.ts'
import { createTestLog } from '../server/testApp.ts'
import { nextLook } from '../support/nextLook.ts'

export const secret = `whsec_${Buffer.from('a secret of 32 bytes for tests..').toString('base64')}`

/** Pauses that are too short to slow a test. */
const quick = { minPauseMs: 1, maxPauseMs: 2 } as const

/** Waits until a condition holds; the test's own limit ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextLook(1)
}

/** Serves a chain's stream on a socket. The chain can be replaced. */
export function startStreamServer(chain: ChainInProcess, port = 0) {
  const clock = { now: Date.now, schedule: (run: () => void, ms: number) => void setTimeout(run, ms).unref() }
  const server = createStreamServer(chain, { ...clock, advance() {} }, chain.answer, { pollMs: 5 })
  const listener = listen({ fetch: server.app.fetch, host: '127.0.0.1', port, deadlineMs: 60_000 })
  return {
    ...server,
    port: listener.port,
    url: `http://127.0.0.1:${listener.port}`,
    async [Symbol.asyncDispose]() {
      server.streams.stop()
      await listener.close()
    },
  }
}

/** A request as a receiver got it. */
export interface Received {
  id: string
  path: string
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
  body: any
}

type Answer = (received: Received) => Response | Promise<Response>

/** A webhook receiver that checks each signature with the library, and answers as scripted. */
export function startReceiver(answer: Answer = () => new Response(null, { status: 204 })) {
  const all: Received[] = []
  const accepted: Received[] = []
  let current = answer
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text()
      const body = new Webhook(secret).verify(text, Object.fromEntries(request.headers))
      const { pathname, search } = new URL(request.url)
      const id = request.headers.get('webhook-id') ?? ''
      const received = { id, path: pathname + search, headers: request.headers, text, body }
      all.push(received)
      const response = await current(received)
      if (response.ok) accepted.push(received)
      return response
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    /** Every request. */
    all,
    /** Requests that were answered with 2xx. */
    accepted,
    /** Changes the answers from now on. */
    answerWith(next: Answer) {
      current = next
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** The names of events without duplicates, as a deduplicating receiver sees them: `a3 TEST.FEED.0`. */
export function namesOf(bodies: readonly Pick<Received, 'id' | 'body'>[]): string[] {
  const byId = new Map(bodies.map(({ id, body }) => [id, body]))
  return [...byId.values()].map(nameOf)
}

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON
export const nameOf = ({ type, data }: any): string =>
  type === 'reset' ? `reset ${data.reason}` : `${type[0]}${data.log_index} ${data.feed_id}`

/** A forwarder's folder. A forwarder may run there meanwhile. */
export function createForwardFolder() {
  const folder = createFolder('in memory')
  return {
    ...folder,
    /** The stored position; empty if there is none. */
    position: (): string => storedPosition(join(folder.path, 'forward.db')),
    /** The dead letters, oldest first. */
    async letters() {
      using state = openState(folder.path)
      return state.listDeadLetters()
    },
  }
}

function storedPosition(path: string): string {
  if (!existsSync(path)) return ''
  // A reader leaves SQLite's other files behind.
  using database = new Database(path, { readwrite: true })
  database.run('PRAGMA busy_timeout = 10000')
  const isReady = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'position'").get() !== null
  if (!isReady) return ''
  return database.query<{ position: string }, []>('SELECT position FROM position').get()?.position ?? ''
}

export const webhookTo = (url: string, options: Partial<WebhookOptions> = {}): ForwardTarget =>
  createWebhook({
    url: new URL(url),
    secret,
    attempts: 3,
    timeoutMs: 60_000,
    fetch: (url, init) => fetch(url, init),
    ...quick,
    ...options,
  })

type StartOptions = Pick<ForwardOptions, 'from' | 'target'> & {
  folder: string
  /** Changes the state, to make it fail. */
  through?: (state: State) => State
} & Partial<Pick<ForwardOptions, 'feeds' | 'after' | 'isFromStart' | 'watch'>>

/** Starts a forwarder in this process. */
export async function startForward({ folder, through = (state) => state, ...options }: StartOptions) {
  const stop = new AbortController()
  const { log, lines } = createTestLog()
  const outcomes: ForwardOutcome[] = []
  const state = openState(folder)
  const ended = runForward({
    feeds: null,
    isFromStart: true,
    watch: quick,
    stop: stop.signal,
    state: through(state),
    log,
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  }).finally(() => state[Symbol.dispose]())
  ended.catch(() => {})
  return {
    lines,
    outcomes,
    ended,
    /** Stops it, and waits for its end. */
    async stop() {
      stop.abort(new Error('stopped'))
      await ended
      await options.target[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('stopped'))
      await ended.catch(() => {})
      await options.target[Symbol.asyncDispose]()
    },
  }
}

/**
 * A state whose process is killed at a step. Each write has two: the kill comes before it, or when it is done. SQLite
 * leaves nothing between.
 */
export function createDyingState(atStep: number) {
  let steps = 0
  const dying =
    <T>(write: (value: T) => void) =>
    (value: T): void => {
      if (steps++ === atStep) throw new Error('killed')
      write(value)
      if (steps++ === atStep) throw new Error('killed')
    }
  const through = (state: State): State => ({
    ...state,
    savePosition: dying(state.savePosition),
    addDeadLetter: dying(state.addDeadLetter),
    updateDeadLetter: dying(state.updateDeadLetter),
    removeDeadLetter: dying(state.removeDeadLetter),
  })
  return { through, steps: () => steps }
}
