import { describe, expect, test } from 'bun:test'
import { DecodeError, type Fetch } from '@wattfeed/base'
import { elapse, stopClock } from '@wattfeed/testing/clock'
import { backOff } from '@wattfeed/testing/patience'
import { type Call, JsonRpcError, type NodeCall, postJson, TransportError } from '../../src/rpc/jsonRpc.ts'
import {
  createChainCheck,
  createNodeClock,
  failover,
  limited,
  observed,
  ofChain,
  redacted,
  retried,
  timed,
} from '../../src/rpc/layers.ts'
import { type Node, parseNode } from '../../src/rpc/node.ts'
import { createNodePool } from '../../src/rpc/nodePool.ts'
import { ChainNameMismatchError } from '../../src/rpc/nodeStatus.ts'
import { AllNodesFailedError, DeadlineError } from '../../src/rpc/rpcErrors.ts'

// What a call does with all its layers is in rpc.test.ts. Here is what only the single layer shows.

const broken = new TransportError('HTTP 500', 500)
const neverAborted = new AbortController().signal
const node = parseNode('http://a/rpc')

/** A call of `read` at node a. */
const nodeCall = (changes: Partial<NodeCall> = {}): NodeCall => ({
  node,
  method: 'read',
  params: {},
  signal: neverAborted,
  ...changes,
})

describe('retried', () => {
  test.each([
    ['a failure that may pass', broken, 10],
    ['a wrong answer', new DecodeError('Thing', 'it is garbage'), 4],
    ['a final failure', new TransportError('HTTP 403', 403), 1],
    ['a wait beyond the deadline', new TransportError('HTTP 429', 429, 10_000), 1],
  ])('error: %s', async (_, error, expected) => {
    let rounds = 0
    const round = async () => {
      rounds += 1
      throw error
    }
    const options = { backOff, deadlineMs: 10_000, signal: neverAborted }
    expect(await retried(options, round).catch((thrown) => thrown)).toBe(error)
    expect(rounds).toBe(expected)
  })
})

describe('failover', () => {
  /** Calls nodes a, b and c, which answer. */
  function asking(signal = neverAborted, attempt = async ({ host }: Node) => `fine, says ${host}`) {
    const nodes = ['a', 'b', 'c'].map((name) => parseNode(`http://${name}/rpc`))
    const pool = createNodePool(nodes, () => 0)
    const asked: string[] = []
    const failed: string[] = []
    const onFailure = ({ host }: Node, { message }: Error) => void failed.push(`${host}: ${message}`)
    const ask = (choice: { only?: Node; except?: Node } = {}) =>
      failover(pool, { method: 'read', onFailure, signal, ...choice }, (each) => {
        asked.push(each.host)
        return attempt(each)
      }).catch((error) => error)
    const [a, , c] = nodes as [Node, Node, Node]
    return { ask, asked, failed, pool, a, c }
  }

  test('behavior: one node can be excluded, or called alone without becoming the preferred one', async () => {
    const { ask, pool, a, c } = asking()
    expect(await ask({ only: c })).toBe('fine, says c')
    expect(pool.inOrder()[0]).toBe(a)
    expect(await ask({ except: a })).toBe('fine, says b')
  })

  test('behavior: a node that sent Retry-After is not called', async () => {
    const { ask, asked, failed, pool, a } = asking()
    pool.demote(a, 900)
    pool.prefer(a)
    pool.demote(a, 900)
    expect(await ask({ only: a })).toBeInstanceOf(AllNodesFailedError)
    expect([asked, failed]).toEqual([[], ['a: rate limited: Retry-After has 900 ms left']])
  })

  test('error: the caller gives up, which no node is blamed for', async () => {
    const reason = new Error('enough')
    const { ask, asked, failed } = asking(AbortSignal.abort(reason))
    expect(await ask()).toBe(reason)
    expect([asked, failed]).toEqual([[], []])
  })

  test('error: a timeout while a node is called is the fault of the node', async () => {
    const controller = new AbortController()
    const late = new DeadlineError(1, null)
    const { ask, asked, failed } = asking(controller.signal, async () => {
      controller.abort(late)
      throw broken
    })
    expect(await ask()).toBe(late)
    expect([asked, failed]).toEqual([['a'], ['a: no answer to read']])
  })
})

describe('redacted', () => {
  const secret = parseNode('https://a/rpc?key=s3cret')
  const outcome = (work: () => Promise<unknown>) => redacted(secret, work).catch((error: unknown) => error)

  test('default: a value is left as it is', async () => {
    expect(await outcome(async () => 's3cret')).toBe('s3cret')
  })

  test('error: every text of an error is redacted, the stack included', async () => {
    const error = await outcome(() => Promise.reject(new DecodeError('Thing', 'it is s3cret')))
    expect(error).toBeInstanceOf(DecodeError)
    expect(error).toMatchObject({
      message: 'cannot decode Thing: it is [redacted]',
      rule: 'it is [redacted]',
      stack: expect.not.stringContaining('s3cret'),
    })
  })

  test('error: something thrown that is no Error becomes one', async () => {
    expect(await outcome(() => Promise.reject('s3cret'))).toEqual(new Error('[redacted]'))
  })
})

describe('ofChain', () => {
  /** A node of this chain whose answers come from a function. */
  function asking(chainName: string, answer: () => Promise<unknown>, failingChecks = 0) {
    const methods: string[] = []
    const isCheck = (method: string) => method === 'info_get_status'
    const next: Call = async ({ method }) => {
      methods.push(method)
      if (!isCheck(method)) return answer()
      if (methods.filter(isCheck).length <= failingChecks) throw broken
      return { chainspec_name: chainName }
    }
    const statuses: unknown[] = []
    const chain = createChainCheck(next, { chainName: 'test', onStatus: (status) => statuses.push(status) })
    const begin = () => ofChain(next, chain)
    const ask = (request = begin()) => request(nodeCall()).catch((error) => error)
    return { begin, ask, methods, statuses }
  }

  test('default: the result, with one check of the chain beside', async () => {
    const { ask, methods, statuses } = asking('test', async () => 'fine')
    expect([await ask(), await ask()]).toEqual([{ result: 'fine' }, { result: 'fine' }])
    expect(methods).toEqual(['read', 'info_get_status', 'read'])
    expect(statuses).toEqual([{ chainspec_name: 'test' }])
  })

  test('behavior: an answer is kept for the next attempt if only the check failed', async () => {
    const { begin, ask, methods } = asking('test', async () => 'fine', 3)
    const request = begin()
    expect(await ask(request)).toEqual(broken)
    expect(await ask(request)).toEqual({ result: 'fine' })
    expect(methods).toEqual(['read', ...Array(4).fill('info_get_status')])
  })

  test('error: a node of another chain that refuses', async () => {
    const { ask } = asking('other', () => Promise.reject(new JsonRpcError(-32003, 'no', '')))
    expect(await ask()).toEqual(new ChainNameMismatchError('test', 'other'))
  })
})

test('behavior: calls that wait for the limit have their turn in order, even after a failure', async () => {
  const order: string[] = []
  const call = limited(async ({ method }) => {
    order.push(method)
    if (method === 'b') throw new Error('broken')
  }, 1)
  await Promise.allSettled(['a', 'b', 'c', 'd'].map((method) => call(nodeCall({ method }))))
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

describe('observed', () => {
  /** Returns the reports of one call, in order. Each read of the clock is 5 ms after the last. */
  async function reported(next: Call): Promise<unknown[]> {
    const seen: unknown[] = []
    let time = 0
    const call = observed(next, {
      now: () => {
        time += 5
        return time
      },
      onStart: ({ method }) => seen.push(`start ${method}`),
      onCall: (event) => seen.push(event),
    })
    const note = (outcome: unknown): void => void seen.push(outcome)
    await call(nodeCall({ onAttempt: () => note('attempt') })).then(note, note)
    return seen
  }

  const calls: [string | null, Call, unknown][] = [
    [null, async () => 'fine', 'fine'],
    ['transport', () => Promise.reject(broken), broken],
    ['internal', () => Promise.reject(new Error('a bug')), new Error('a bug')],
  ]
  test.each(calls)('default: a call with the error code %p', async (errorCode, next, outcome) => {
    const event = { method: 'read', host: 'a', durationMs: 5, errorCode }
    expect(await reported(next)).toEqual(['start read', 'attempt', event, outcome])
  })
})

test('error: the time limit holds for the body of an answer, too', async () => {
  using _ = stopClock()
  const fetch: Fetch = async (_, init) => {
    const stream = new ReadableStream({
      start(controller) {
        init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
      },
    })
    return new Response(stream)
  }
  const options = { fetch, headers: {}, maxBodyBytes: 100, retryAfterMaxMs: 0 }
  const posting: Call = ({ node, signal }) => postJson(node.url, '{}', { ...options, signal })
  const outcome = timed(posting, 500)(nodeCall()).catch((error) => error)
  await elapse(500)
  expect(await outcome).toEqual(new TransportError('timed out after 500 ms'))
})

describe('createNodeClock', () => {
  const NOW = 1_800_000_000_000
  const utc = (epochMs: number): string => new Date(epochMs).toUTCString()

  /** The nodes' time a second after some answers with these dates. */
  async function timeAfter(...dates: (string | null)[]) {
    let passedMs = 0
    const answers = dates.map((date) => new Response('', date === null ? {} : { headers: { date } }))
    const clock = createNodeClock(
      async () => answers.shift() ?? new Response(),
      () => passedMs,
    )
    for (const _ of dates) await clock.fetch('http://node.test/', {})
    passedMs += 1_000
    return clock.time()
  }

  test('default: the newest Date, and the time that has passed since', async () => {
    expect(await timeAfter(utc(NOW - 9_000), utc(NOW - 3_000))).toBe(NOW - 2_000)
  })

  test('behavior: an answer without a Date, or with one that cannot be read, changes nothing', async () => {
    expect(await timeAfter(null)).toBeNull()
    expect(await timeAfter('yesterday')).toBeNull()
    expect(await timeAfter(utc(NOW - 3_000), null)).toBe(NOW - 2_000)
  })
})
