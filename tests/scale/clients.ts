import { sleep } from '@wattfeed/base'
import { createRandom } from '@wattfeed/testing/random'
import { watchServer } from '../../packages/wattfeed/src/live/watchServer.ts'

/** The address that clients use: the front end of all servers. */
export interface Front {
  /** A Unix socket. */
  readonly socket: string
}

/** An answer about one feed. */
export interface Read {
  /** The number of attestations at the answer's version. */
  attestations: number
  feed_id: string
  amount: string
}

/** Totals of all readers so far. */
export interface ReaderReport {
  /** Answers that were accepted. */
  taken: number
  /** Requests that failed and were repeated. */
  retried: string[]
  /** Requests that failed twice. */
  failed: string[]
  /** Answers of an older version than the reader had seen: discarded and requested again. */
  older: number
  /** The accepted answers about one feed. */
  reads: Read[]
}

export interface ReadersOptions {
  readers: number
  seed: number
  feedIds: readonly string[]
  signal: AbortSignal
  /** Pause of a reader after an answer, and before it retries. */
  pauseMs: number
}

/** Readers that request all kinds of answers until they are aborted, each one at a time. */
export interface Readers {
  readonly report: ReaderReport
  /** Resolves after this number of further accepted answers, or after the time. */
  progress(answers: number, maxMs: number): Promise<void>
  /** Resolves when all have ended. @throws the error of the test itself */
  readonly ended: Promise<void>
}

const ORIGIN = 'http://wattfeed.test'

export function startReaders(
  front: Front,
  { readers, seed, feedIds, signal, pauseMs }: ReadersOptions,
): Readers {
  const report: ReaderReport = { taken: 0, retried: [], failed: [], older: 0, reads: [] }
  const waiting = new Set<() => void>()

  async function read(random: () => number): Promise<void> {
    let version = [0, 0]
    let path = anyPath(feedIds, random)
    while (!signal.aborted) {
      const answer = await askTwice(front, path, report, signal)
      const found = answer && versionOf(answer.headers)
      if (found && isOlder(found, version)) report.older += 1
      else {
        if (answer && found) take(path, found, answer.body)
        version = found ?? version
        path = anyPath(feedIds, random)
      }
      await sleep(pauseMs, signal).catch(() => {})
    }
  }

  function take(path: string, [, attestations = 0]: readonly number[], body: string): void {
    report.taken += 1
    if (/^\/v1\/feeds\/[^/?]+$/.test(path)) {
      const { feed_id, amount } = JSON.parse(body)
      report.reads.push({ attestations, feed_id, amount })
    }
    for (const look of waiting) look()
  }

  const running = Array.from({ length: readers }, (_, index) => read(createRandom(seed + index)))
  return {
    report,
    progress(answers, maxMs) {
      const enough = report.taken + answers
      return new Promise((resolve) => {
        const stop = (): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        const look = (): void => {
          if (report.taken >= enough || signal.aborted) stop()
        }
        const timer = setTimeout(stop, maxMs)
        waiting.add(look)
      })
    },
    ended: Promise.all(running).then(() => {}),
  }
}

/** Chooses a request whose answer names its version: mostly for one feed. */
function anyPath(feedIds: readonly string[], random: () => number): string {
  const id = feedIds[Math.floor(random() * feedIds.length)] ?? ''
  const paths = [
    '/v1/feeds',
    '/v1/feeds.csv',
    `/v1/readings?id=${id}&fields=amount`,
    `/v1/feeds/${id}/history`,
  ]
  return paths[Math.floor(random() * 3 * paths.length)] ?? `/v1/feeds/${id}`
}

const isOlder = (version: readonly number[], than: readonly number[]): boolean =>
  version.some((count, index) => count < (than[index] ?? 0))

const versionOf = (headers: Headers): number[] | null =>
  /^f(\d+)[.]a(\d+)$/
    .exec(headers.get('x-wattfeed-version') ?? '')
    ?.slice(1)
    .map(Number) ?? null

/** Sends a request, and repeats it once after a failure: no answer, a broken one, or a status of 500 and above. */
async function askTwice(front: Front, path: string, report: ReaderReport, signal: AbortSignal) {
  const faults: string[] = []
  for (const list of [report.retried, report.failed]) {
    const answer = await ask(front, path, signal)
    if (typeof answer !== 'string') return answer
    if (signal.aborted) return null
    faults.push(answer)
    list.push(`${path}: ${faults.join(', then ')}`)
  }
  return null
}

/** Returns the answer, or why there is none. */
async function ask({ socket }: Front, path: string, signal: AbortSignal) {
  try {
    const response = await fetch(`${ORIGIN}${path}`, { unix: socket, signal })
    const body = await response.text()
    if (response.status >= 500) return `${response.status} ${body}`
    if (response.status !== 200) throw new TypeError(`${path}: ${response.status} ${body}`)
    return { headers: response.headers, body }
  } catch (error) {
    if (error instanceof TypeError) throw error
    return String(error)
  }
}

/** A client of the stream. */
export interface StreamClient {
  /** The events, each as `<place in its log> <feed> <amount>`. */
  readonly seen: string[]
  /** Whether it knows its position. */
  isOpen: boolean
  readonly ended: Promise<void>
}

/**
 * Follows the stream, by `from` or by the header `Last-Event-ID`, and resumes after each disconnection. A reset is stored
 * among the events, where none is expected.
 */
export function startStreamClient(
  front: Front,
  { signal, byHeader }: { signal: AbortSignal; byHeader: boolean },
): StreamClient {
  const client = { seen: [] as string[], isOpen: false, ended: Promise.resolve() }
  const items = watchServer(ORIGIN, {
    signal,
    minPauseMs: 50,
    maxPauseMs: 500,
    fetch: (url, init) => fetchStream(front, new URL(url), init, byHeader),
  })
  client.ended = (async () => {
    try {
      for await (const item of items) {
        client.isOpen = true
        if (item.event === 'attested')
          client.seen.push(`${item.data.log_index} ${item.data.feed_id} ${item.data.amount}`)
        else if (item.event !== 'position') client.seen.push(item.event)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  })()
  return client
}

function fetchStream({ socket }: Front, url: URL, init: RequestInit, byHeader: boolean): Promise<Response> {
  const headers = new Headers(init.headers)
  const from = url.searchParams.get('from')
  if (byHeader && from !== null) {
    url.searchParams.delete('from')
    headers.set('last-event-id', from)
  }
  return fetch(url, { ...init, headers, unix: socket })
}

/** Reads a feed. Returns the status. */
export async function readFeed({ socket }: Front, feedId: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(`${ORIGIN}/v1/feeds/${feedId}`, { unix: socket, signal })
  await response.text()
  return response.status
}

/** Opens a stream without following it. */
export const openStream = ({ socket }: Front, signal: AbortSignal): Promise<Response> =>
  fetch(`${ORIGIN}/v1/stream`, { unix: socket, signal })
