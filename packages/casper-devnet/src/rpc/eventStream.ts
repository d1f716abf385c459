import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChainEvent } from '../chain/chainEvent.ts'
import { EventLog, type EventLogLimits } from './eventLog.ts'

/** The length is this chain's own: a transaction that installs a contract has a megabyte. */
const limits: EventLogLimits = { maxEvents: 5_000, maxLength: 64_000_000 }

/** The default of a node's `max_concurrent_subscribers`. */
const MAX_SUBSCRIBERS = 100
/** Proxies close silent connections. A node sends a comment after this time without an event. */
const KEEP_ALIVE_MS = 15_000
const KEEP_ALIVE = ':\n\n'
/**
 * A network takes seconds for a block, so a client may send a transaction first and connect then, as Odra's livenet does. This
 * chain may have made the block meanwhile, so a connection begins with the events of the last seconds.
 */
const RECENT_MS = 5_000
const MAX_ID = 0xffff_ffff

/** Options of an {@link EventStream}, for tests. */
export interface EventStreamOptions extends Partial<EventLogLimits> {
  maxSubscribers?: number
  keepAliveMs?: number
  recentMs?: number
  now?: () => number
}

/**
 * A node's event stream, as in `event_stream_server` of casper-node 2.0.3: server-sent events with ascending ids.
 *
 * The newest events are kept for those that connect later and ask with `start_from`, and for slow readers. A reader that falls
 * behind them is disconnected, as by a node, so it takes no memory of its own.
 */
export class EventStream {
  readonly #log: EventLog
  readonly #maxSubscribers: number
  readonly #keepAliveMs: number
  readonly #recentMs: number
  readonly #now: () => number
  /** The time of each event that a new connection begins with, oldest first. */
  readonly #recent: { id: number; atMs: number }[] = []
  readonly #subscribers = new Set<Subscriber>()
  /** The first event of each connection, which has no id. */
  #greeting: string | null = null

  constructor({
    maxSubscribers = MAX_SUBSCRIBERS,
    keepAliveMs = KEEP_ALIVE_MS,
    recentMs = RECENT_MS,
    now = performance.now.bind(performance),
    ...log
  }: EventStreamOptions = {}) {
    this.#log = new EventLog({ ...limits, ...log })
    this.#maxSubscribers = maxSubscribers
    this.#keepAliveMs = keepAliveMs
    this.#recentMs = recentMs
    this.#now = now
  }

  /** The number of connections. */
  get readers(): number {
    return this.#subscribers.size
  }

  push(event: ChainEvent): void {
    // Like a node that was started again with older data: the events so far no longer hold.
    if ('Reverted' in event) this.#shutDown()
    else if ('ApiVersion' in event) this.#greeting = `data:${JSON.stringify(event)}\n\n`
    else if (!('Printed' in event)) this.#send(event)
  }

  #send(event: ChainEvent | 'Shutdown'): void {
    const id = this.#log.nextId
    this.#log.add(`data:${JSON.stringify(event)}\nid:${id}\n\n`)
    this.#recent.push({ id, atMs: this.#now() })
    this.#forgetOld()
    for (const subscriber of this.#subscribers) subscriber.catchUp()
  }

  #forgetOld(): void {
    const sinceMs = this.#now() - this.#recentMs
    const isOld = ({ atMs }: { atMs: number }): boolean => atMs < sinceMs
    while (this.#recent[0] !== undefined && isOld(this.#recent[0])) this.#recent.shift()
  }

  /** Returns the id of the oldest recent event; that of the next one if there is none. */
  #recentId(): number {
    this.#forgetOld()
    return this.#recent[0]?.id ?? this.#log.nextId
  }

  /** Says goodbye, ends all connections and drops the events. */
  #shutDown(): void {
    this.#send('Shutdown')
    for (const subscriber of this.#subscribers) subscriber.end()
    this.#subscribers.clear()
    this.#log.clear()
  }

  /** Answers a request to the path of the stream. */
  serve({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const startFrom = parseStart(url)
    if (method !== 'GET') return void refuse(response, 404, "invalid path: expected '/events'\n")
    if (startFrom === undefined)
      return void refuse(response, 422, "invalid query: expected single field 'start_from=<EVENT ID>'\n")
    if (this.readers >= this.#maxSubscribers)
      return void refuse(response, 503, 'server has reached limit of subscribers')
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const first = startFrom ?? this.#recentId()
    const subscriber = new Subscriber(response, this.#log, first, this.#keepAliveMs)
    this.#subscribers.add(subscriber)
    response.once('close', () => {
      this.#subscribers.delete(subscriber)
      subscriber.stop()
    })
    subscriber.greet(this.#greeting ?? '')
  }

  /** Says goodbye, and resolves when all connections have ended. */
  async close(): Promise<void> {
    const closed = [...this.#subscribers].map(({ isClosed }) => isClosed)
    this.#shutDown()
    await Promise.all(closed)
  }
}

/** A connection. It has only the number of its next event, not the events. */
class Subscriber {
  readonly #response: ServerResponse
  readonly #log: EventLog
  readonly #keepAlive: NodeJS.Timeout
  #nextId: number
  /** Whether the socket takes no more bytes for now. */
  #isFull = false
  /** Resolves when the connection has ended. */
  readonly isClosed: Promise<void>

  constructor(response: ServerResponse, log: EventLog, startFrom: number, keepAliveMs: number) {
    this.#response = response
    this.#log = log
    this.#nextId = Math.min(Math.max(startFrom, log.firstId), log.nextId)
    this.#keepAlive = setInterval(() => this.#write(KEEP_ALIVE), keepAliveMs)
    this.isClosed = new Promise((resolve) => response.once('close', resolve))
    response.on('drain', () => {
      this.#isFull = false
      this.catchUp()
    })
  }

  greet(greeting: string): void {
    this.#write(greeting)
    this.catchUp()
  }

  /** Sends the events up to the newest. Disconnects a reader whose next event is no longer kept. */
  catchUp(): void {
    if (this.#nextId < this.#log.firstId) return void this.#response.destroy()
    while (!this.#isFull && this.#nextId < this.#log.nextId) {
      this.#write(this.#log.get(this.#nextId) ?? '')
      this.#nextId += 1
    }
  }

  #write(text: string): void {
    if (this.#isFull) return
    this.#keepAlive.refresh()
    this.#isFull = !this.#response.write(text)
  }

  /** Ends the connection after its last event. */
  end(): void {
    this.#response.end()
  }

  stop(): void {
    clearInterval(this.#keepAlive)
  }
}

/** Returns the number from `start_from`, null without a query, undefined for another query. */
function parseStart(url: string): number | null | undefined {
  const query = [...new URL(url, 'http://localhost').searchParams]
  if (query.length === 0) return null
  const [[name, text] = []] = query
  const isId =
    name === 'start_from' && text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID
  return query.length === 1 && isId ? Number(text) : undefined
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}
