// cspell:ignore Nlcjpz
import { describe, expect, jest, spyOn, test } from 'bun:test'
import { DecodeError, type Fetch, limitTime } from '@wattfeed/base'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { backOff } from '@wattfeed/testing/patience'
import { JsonRpcError, TransportError } from '../../src/rpc/jsonRpc.ts'
import type { RpcCallEvent } from '../../src/rpc/layers.ts'
import type { Node } from '../../src/rpc/node.ts'
import { ChainNameMismatchError } from '../../src/rpc/nodeStatus.ts'
import { createRpc, type Rpc, type RpcOptions } from '../../src/rpc/rpc.ts'
import { AllNodesFailedError, DeadlineError } from '../../src/rpc/rpcErrors.ts'

/** How a node answers a call: with a result, or a whole response. */
type NodeAnswer = (call: { method: string; init: RequestInit }) => unknown

interface Pool {
  rpc: Rpc
  /** The calls of each node, without `info_get_status`. */
  asked: string[]
  /** The number of chain checks of each node. */
  statusCalls: Record<string, number>
}

/** Nodes by name. Chain checks go to `status`, and are answered with "test" by default. */
function createPool(
  nodes: Record<string, NodeAnswer>,
  { status, ...options }: Partial<RpcOptions> & { status?: Record<string, NodeAnswer> } = {},
): Pool {
  const asked: string[] = []
  const statusCalls: Record<string, number> = {}
  const fetch: Fetch = async (url, init) => {
    const { host } = new URL(url)
    const { id, method } = JSON.parse(String(init.body))
    init.signal?.throwIfAborted()
    let answer: NodeAnswer | undefined
    if (method === 'info_get_status') {
      statusCalls[host] = (statusCalls[host] ?? 0) + 1
      answer = status?.[host] ?? (() => ({ chainspec_name: 'test' }))
    } else {
      asked.push(`${host} ${method}`)
      answer = nodes[host]
    }
    const result = await answer?.({ method, init })
    return result instanceof Response ? result : Response.json({ jsonrpc: '2.0', id, result })
  }
  const rpc = createRpc({
    urls: Object.keys(nodes).map((host) => `http://${host}/rpc`),
    chainName: 'test',
    fetch,
    timeoutMs: 4_000,
    deadlineMs: 10_000,
    concurrency: 128,
    now: Date.now,
    onCall: () => {},
    ...options,
  })
  return { rpc, asked, statusCalls }
}

const call = (rpc: Rpc, changes: object = {}): Promise<unknown> =>
  rpc.call({ method: 'read', params: {}, decode: (result) => result, ...changes })

const status =
  (code: number, headers: Record<string, string> = {}): NodeAnswer =>
  () =>
    new Response('', { status: code, headers })

const refuse =
  (code: number): NodeAnswer =>
  ({ init }) => {
    const { id } = JSON.parse(String(init.body))
    return Response.json({ jsonrpc: '2.0', id, error: { code, message: 'no' } })
  }

/** Hangs, as `fetch` does, until it is aborted. */
const hang: NodeAnswer = ({ init }) =>
  new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })

/** Returns one answer after another, and repeats the last one. */
function inTurn(...answers: NodeAnswer[]): NodeAnswer {
  let next = 0
  return (asked) => answers[Math.min(next++, answers.length - 1)]?.(asked)
}

const ok: NodeAnswer = () => 'fine'

/** The outcome of a call while the clock stands still. */
function watch(work: Promise<unknown>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'waits' }
  work.then(
    (value) => {
      seen.outcome = value
    },
    (error: unknown) => {
      seen.outcome = error
    },
  )
  return seen
}

const failed = (...failures: [string, Error][]): AllNodesFailedError =>
  new AllNodesFailedError(
    'read',
    failures.map(([host, error]) => ({ host, error })),
  )

const http500 = new TransportError('HTTP 500', 500)

describe('createRpc', () => {
  test('default: asks the first node, and once for its chain beside', async () => {
    const { rpc, asked, statusCalls } = createPool({ a: ok, b: ok })
    expect(await Promise.all([call(rpc), call(rpc), call(rpc)])).toEqual(['fine', 'fine', 'fine'])
    expect(await call(rpc)).toBe('fine')
    expect(asked).toEqual(['a read', 'a read', 'a read', 'a read'])
    expect(statusCalls).toEqual({ a: 1 })
    expect(rpc.lastFailure()).toBeNull()
  })

  test('behavior: method and params are sent, and the decoder receives the node', async () => {
    const sent: unknown[] = []
    const { rpc } = createPool({ 'a:7777': ({ init }) => sent.push(JSON.parse(String(init.body))) })
    const decoded = await rpc.call({
      method: 'query_global_state',
      params: { key: 'hash-00' },
      decode: (result, { url, host }: Node) => ({ result, url, host }),
    })
    expect(decoded).toEqual({ result: 1, url: 'http://a:7777/rpc', host: 'a:7777' })
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: expect.any(Number), method: 'query_global_state', params: { key: 'hash-00' } },
    ])
  })

  test('behavior: calls go to the next node if one fails, and stay with the one that answered', async () => {
    const { rpc, asked } = createPool({ a: status(500), b: ok, c: ok })
    expect([await call(rpc), await call(rpc)]).toEqual(['fine', 'fine'])
    expect(asked).toEqual(['a read', 'b read', 'b read'])
    expect(rpc.lastFailure()).toBeNull()
  })

  test('behavior: calls stay with the node that answered, even when another one has rested', async () => {
    const clock = { now: 0 }
    const nodes = { a: inTurn(status(500), ok), b: ok }
    const { rpc, asked } = createPool(nodes, { now: () => clock.now })
    await call(rpc)
    clock.now = 5_000
    await call(rpc)
    expect(asked).toEqual(['a read', 'b read', 'b read'])
  })

  test('behavior: an answer that does not decode, at once or later, is the fault of the node', async () => {
    const decode = (result: unknown) => {
      if (result === 'fine') return result
      throw new DecodeError('Thing', 'it is garbage')
    }
    for (const each of [decode, async (result: unknown) => decode(result)]) {
      const { rpc, asked } = createPool({ a: () => 'garbage', b: ok })
      expect(await call(rpc, { decode: each })).toBe('fine')
      expect(asked).toEqual(['a read', 'b read'])
    }
  })

  test('behavior: a rejection that is a valid answer ends the call, and no other node is called', async () => {
    const { rpc, asked } = createPool({ a: refuse(-32003), b: ok })
    expect(await call(rpc, { refused: () => null })).toBeNull()
    expect(asked).toEqual(['a read'])
  })

  test('behavior: a refusal that is no answer sends the call on', async () => {
    const { rpc, asked } = createPool({ a: refuse(-32012), b: ok })
    const refused = (error: unknown) => {
      throw error
    }
    expect(await call(rpc, { refused })).toBe('fine')
    expect(asked).toEqual(['a read', 'b read'])
  })

  test('behavior: a node that fails now and then answers on another try', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(status(500), status(502), ok) })
    const seen = watch(call(rpc))
    await elapse(1_000)
    expect(seen.outcome).toBe('fine')
    expect(asked).toHaveLength(3)
  })

  test('error: the only node fails at every try', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: status(500) })
    const seen = watch(call(rpc))
    await elapse(9_000)
    expect(seen.outcome).toEqual(failed(['a', http500]))
    expect(asked).toHaveLength(10)
  })

  test('error: if all nodes give final answers, each is called once', async () => {
    const { rpc, asked } = createPool({ a: refuse(-32602), b: status(403) })
    const refusal = new JsonRpcError(-32602, 'no', '')
    const forbidden = new TransportError('HTTP 403', 403)
    expect(await call(rpc).catch((error: unknown) => error)).toEqual(failed(['a', refusal], ['b', forbidden]))
    expect(asked).toEqual(['a read', 'b read'])
  })

  test('error: a thrown value that is not an Error is reported as text', async () => {
    const { rpc } = createPool({ a: ok })
    const decode = () => {
      throw 'text'
    }
    expect(await call(rpc, { decode }).catch((error: unknown) => error)).toEqual(
      failed(['a', new Error('text')]),
    )
  })
})

describe('a node of another chain', () => {
  const other = { a: () => ({ chainspec_name: 'other' }) }
  const mismatch = new ChainNameMismatchError('test', 'other')

  test('behavior: is skipped, whatever it answers', async () => {
    const { rpc, asked } = createPool({ a: ok, b: () => 'right' }, { status: other })
    expect(await call(rpc)).toBe('right')
    expect(asked).toEqual(['a read', 'b read'])
  })

  test('error: is the only one', async () => {
    const { rpc, asked } = createPool({ a: ok }, { status: other })
    const error = await call(rpc).catch((thrown: unknown) => thrown)
    expect(error).toEqual(failed(['a', mismatch]))
    expect(String(error)).toBe(
      'AllNodesFailedError: read failed: a: the node serves the chain "other", not "test"; check the chain name and the node URL',
    )
    expect(asked).toEqual(['a read'])
  })

  test('behavior: is called again, and accepted once it names the right chain', async () => {
    const names = inTurn(other.a, () => ({ chainspec_name: 'test' }))
    const { rpc, statusCalls } = createPool({ a: ok }, { status: { a: names } })
    expect(await call(rpc).catch((error: unknown) => error)).toEqual(failed(['a', mismatch]))
    expect([await call(rpc), await call(rpc)]).toEqual(['fine', 'fine'])
    expect(statusCalls).toEqual({ a: 2 })
  })

  test('behavior: a node that names no chain is not accepted', async () => {
    const { rpc } = createPool({ a: ok, b: () => 'right' }, { status: { a: () => ({}) } })
    expect(await call(rpc)).toBe('right')
  })

  test('behavior: a check whose first caller timed out does not fail the others', async () => {
    using _ = stopClock()
    const checks = inTurn(hang, () => ({ chainspec_name: 'test' }))
    const { rpc } = createPool({ a: ok }, { status: { a: checks } })
    const impatient = new AbortController()
    watch(call(rpc, { signal: impatient.signal }))
    const patient = watch(call(rpc))
    await settle()
    impatient.abort(new DeadlineError(1, null))
    await elapse(1_000)
    expect(patient.outcome).toBe('fine')
  })

  test('behavior: nor does one whose first caller gave up, for a reason of its own', async () => {
    using _ = stopClock()
    const { promise: checked, resolve: answer } = Promise.withResolvers<object>()
    const check: NodeAnswer = (call) => Promise.race([checked, hang(call)])
    const { rpc, asked } = createPool({ a: ok }, { status: { a: check } })
    const leaving = new AbortController()
    const left = watch(call(rpc, { signal: leaving.signal }))
    const staying = watch(call(rpc))
    await settle()
    leaving.abort(new Error('enough'))
    await settle()
    answer({ chainspec_name: 'test' })
    await elapse(1_000)
    expect([left.outcome, staying.outcome]).toEqual([new Error('enough'), 'fine'])
    expect([asked, rpc.lastFailure()]).toEqual([['a read', 'a read'], null])
  })
})

describe('a node that was away', () => {
  const away: [string, NodeAnswer][] = [
    ['HTTP 500', status(500)],
    ['a broken connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['a rest that it asked for', status(429, { 'retry-after': '1' })],
    ['a page', () => new Response('<html>')],
  ]
  test.each(away)('behavior: its chain is checked again after %s', async (_, fault) => {
    using _clock = stopClock()
    const { rpc, asked, statusCalls } = createPool({ a: inTurn(ok, ok, fault, ok) })
    for (let times = 0; times < 2; times++) await call(rpc)
    expect(statusCalls).toEqual({ a: 1 })
    const seen = watch(call(rpc))
    await elapse(2_000)
    expect([seen.outcome, asked.length]).toEqual(['fine', 4])
    expect(statusCalls).toEqual({ a: 2 })
    await call(rpc)
    expect(statusCalls).toEqual({ a: 2 })
  })

  test('error: is another chain now', async () => {
    using _ = stopClock()
    const names = inTurn(
      () => ({ chainspec_name: 'test' }),
      () => ({ chainspec_name: 'other' }),
    )
    const { rpc } = createPool({ a: inTurn(ok, status(502), ok) }, { status: { a: names } })
    expect(await call(rpc)).toBe('fine')
    const seen = watch(call(rpc))
    await elapse(2_000)
    expect(seen.outcome).toEqual(failed(['a', new ChainNameMismatchError('test', 'other')]))
  })

  test('behavior: an answer that was under way when another call failed waits for the check', async () => {
    const names = inTurn(
      () => ({ chainspec_name: 'test' }),
      () => ({ chainspec_name: 'other' }),
    )
    const { promise: held, resolve: release } = Promise.withResolvers<string>()
    const { rpc } = createPool({ a: inTurn(ok, () => held, status(403)) }, { status: { a: names } })
    await call(rpc)
    const underWay = call(rpc).catch((error: unknown) => error)
    await call(rpc).catch(() => {})
    release('of another chain')
    expect(await underWay).toEqual(failed(['a', new ChainNameMismatchError('test', 'other')]))
  })

  test('behavior: its chain is checked again after it was skipped', async () => {
    const { rpc, statusCalls } = createPool({ a: ok })
    const nodes: Node[] = []
    await call(rpc, { decode: (_: unknown, node: Node) => nodes.push(node) })
    for (const node of nodes) rpc.penalize(node, new Error('it lags'))
    await call(rpc)
    expect(statusCalls).toEqual({ a: 2 })
  })

  test('behavior: its chain is not checked again after an error object, which is an answer', async () => {
    const { rpc, statusCalls } = createPool({ a: inTurn(ok, refuse(-32003), refuse(-32602), ok) })
    await call(rpc)
    await call(rpc, { refused: () => null })
    await call(rpc).catch(() => {})
    await call(rpc)
    expect(statusCalls).toEqual({ a: 1 })
  })

  test('behavior: an answer is not requested again only because the check failed', async () => {
    using _ = stopClock()
    const names = inTurn(status(500), status(500), () => ({ chainspec_name: 'test' }))
    const { rpc, asked, statusCalls } = createPool({ a: ok }, { status: { a: names } })
    const seen = watch(call(rpc))
    await elapse(500)
    expect([seen.outcome, asked.length, statusCalls]).toEqual(['fine', 1, { a: 3 }])
  })
})

describe('limits', () => {
  /** The size limit of each method's answer, found by the rejected sizes. */
  const limitOf = async (method: string, options: Partial<RpcOptions> = {}): Promise<string> => {
    const large: NodeAnswer = () => new Response(new Uint8Array(2_000_001))
    const { rpc } = createPool({ a: large }, { backOff, ...options })
    const error = await call(rpc, { method }).catch((thrown: unknown) => thrown)
    return /larger than \d+ bytes/.exec(String(error))?.[0] ?? String(error)
  }

  const limits: [string, number][] = [
    ['chain_get_state_root_hash', 65_536],
    ['state_get_dictionary_item', 524_288],
    ['query_global_state', 524_288],
    ['chain_get_block', 1_048_576],
    ['account_put_transaction', 1_048_576],
  ]
  test.each(limits)('default: an answer to %s may have %p bytes', async (method, bytes) => {
    expect(await limitOf(method)).toBe(`larger than ${bytes} bytes`)
  })

  test('behavior: if large answers are expected, methods without a limit of their own may have more', async () => {
    expect(await limitOf('info_get_transaction', { maxBodyBytes: 2_000_000 })).toBe(
      'larger than 2000000 bytes',
    )
    expect(await limitOf('query_global_state', { maxBodyBytes: 2_000_000 })).toBe('larger than 524288 bytes')
  })

  test('behavior: a switch block of 1,000 validators fits', async () => {
    const key = (index: number) => `01${String(index).padStart(64, '0')}`
    const each = <T>(make: (index: number) => T): T[] =>
      Array.from({ length: 1_000 }, (_, index) => make(index))
    const block = {
      weights: each((index) => ({ validator: key(index), weight: '1'.repeat(20) })),
      rewards: Object.fromEntries(each((index) => [key(index), ['1'.repeat(14), '1'.repeat(14)]])),
      transactions: [
        ...each(() => ({ Version1: 'a'.repeat(64) })),
        ...each(() => ({ Version1: 'b'.repeat(64) })),
      ],
      proofs: each((index) => ({ public_key: key(index), signature: 'a'.repeat(130) })),
    }
    const { rpc } = createPool({ a: () => block })
    expect(await call(rpc, { method: 'chain_get_block' })).toEqual(block)
  })

  test('behavior: a CLType of 50 levels fits, deep in the effects of a transaction', async () => {
    let clType: unknown = 'U8'
    for (let level = 1; level < 50; level++) clType = { Map: { key: 'U8', value: clType } }
    const contract = { entry_points: [{ args: [{ cl_type: clType }] }] }
    const effects = [{ key: '', kind: { Write: { Contract: contract } } }]
    const result = { execution_info: { execution_result: { Version2: { effects } } } }
    const { rpc } = createPool({ a: () => result })
    expect(await call(rpc)).toEqual(result)
  })
})

describe('time', () => {
  test('error: one attempt takes too long', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: hang, b: ok }, { timeoutMs: 500 })
    const seen = watch(call(rpc))
    await elapse(499)
    expect([seen.outcome, asked]).toEqual(['waits', ['a read']])
    await elapse(1)
    expect(seen.outcome).toBe('fine')
  })

  test('error: all attempts together take too long', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang }, { timeoutMs: 600, deadlineMs: 1_000 })
    const seen = watch(call(rpc))
    await elapse(999)
    expect(seen.outcome).toBe('waits')
    await elapse(1)
    expect(seen.outcome).toEqual(new DeadlineError(1_000, 'a: timed out after 600 ms'))
  })

  test('error: the deadline error has the last failure of a node', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: status(500) }, { deadlineMs: 300 })
    const seen = watch(call(rpc))
    await elapse(300)
    expect(seen.outcome).toEqual(new DeadlineError(300, 'a: HTTP 500'))
  })

  test('error: no node has answered anything yet', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang })
    const seen = watch(call(rpc))
    await settle()
    expect(rpc.lastFailure()).toBe('a has not answered read yet')
    await elapse(10_000)
    expect(seen.outcome).toEqual(new DeadlineError(10_000, 'a: timed out after 4000 ms'))
  })

  test('error: a signal ends a call', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang, b: ok })
    const controller = new AbortController()
    const seen = watch(call(rpc, { signal: controller.signal }))
    await settle()
    controller.abort(new DeadlineError(1, null))
    await settle()
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
  })

  test('behavior: no timer is left when a call is done', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: status(500), b: ok })
    await call(rpc)
    expect(jest.getTimerCount()).toBe(0)
  })

  const pauses: [number, number[]][] = [
    [0, [20, 40, 80, 160, 320, 400, 400, 400, 400]],
    [0.5, [30, 60, 120, 240, 400, 400, 400, 400, 400]],
  ]
  test.each(pauses)(
    'behavior: the pauses between tries grow, and chance (%p) draws them out',
    async (chance, expected) => {
      using _ = stopClock()
      const random = spyOn(Math, 'random').mockReturnValue(chance)
      const times: number[] = []
      const note: NodeAnswer = (asked) => {
        times.push(Date.now())
        return status(500)(asked)
      }
      const { rpc } = createPool({ a: note })
      watch(call(rpc))
      for (let step = 0; step < 600; step++) await elapse(5)
      random.mockRestore()
      expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual(expected)
    },
  )
})

describe('Retry-After', () => {
  const slowDown = (seconds: number): NodeAnswer => status(429, { 'retry-after': String(seconds) })

  test('default: the only node is not called as long as it asks', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(slowDown(2), ok) })
    const seen = watch(call(rpc))
    await elapse(1_999)
    expect([seen.outcome, asked.length]).toEqual(['waits', 1])
    await elapse(500)
    expect([seen.outcome, asked.length]).toEqual(['fine', 2])
  })

  test('behavior: if all nodes send Retry-After, the shortest wait counts', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(slowDown(5), ok), b: inTurn(slowDown(2), ok) })
    const seen = watch(call(rpc))
    await elapse(1_999)
    expect([seen.outcome, asked.length]).toEqual(['waits', 2])
    await elapse(500)
    expect(asked).toEqual(['a read', 'b read', 'b read'])
    expect(seen.outcome).toBe('fine')
  })

  test('behavior: another node answers at once', async () => {
    const { rpc, asked } = createPool({ a: slowDown(60), b: ok })
    expect([await call(rpc), await call(rpc)]).toEqual(['fine', 'fine'])
    expect(asked).toEqual(['a read', 'b read', 'b read'])
  })

  test('error: a wait that is longer than the deadline fails at once', async () => {
    const { rpc, asked } = createPool({ a: slowDown(10) })
    const error = await call(rpc).catch((thrown: unknown) => thrown)
    expect(error).toEqual(failed(['a', new TransportError('HTTP 429', 429, 10_000)]))
    expect(asked).toEqual(['a read'])
  })

  // Failures of other nodes do not shorten a pause that a node has requested.
  test('behavior: a node is not called as long as it asks while another one fails', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: slowDown(3_600), b: status(500) })
    watch(call(rpc))
    await elapse(9_000)
    expect(asked.filter((each) => each === 'a read')).toHaveLength(1)
  })

  const nonsense = ['1e+23', '-1', 'Infinity', 'soon']
  test.each(nonsense)('behavior: %p asks for nothing', async (text) => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(status(503, { 'retry-after': text }), ok) })
    const seen = watch(call(rpc))
    await elapse(500)
    expect([seen.outcome, asked.length]).toEqual(['fine', 2])
  })

  const longest = ['3600', '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT']
  test.each(longest)('behavior: %p takes the only node out for no more than two seconds', async (text) => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(status(503, { 'retry-after': text }), ok) })
    const error = await call(rpc).catch((thrown: unknown) => thrown)
    expect(error).toEqual(failed(['a', new TransportError('HTTP 503', 503, 30_000)]))
    await elapse(1_900)
    expect(await call(rpc).catch(String)).toContain('rate limited')
    await elapse(200)
    expect(await call(rpc)).toBe('fine')
    expect(asked).toHaveLength(2)
  })

  test('behavior: while it keeps rate limiting, it is probed by one call at a time', async () => {
    using _ = stopClock()
    const times: number[] = []
    const busy: NodeAnswer = (asked) => {
      times.push(Date.now())
      return slowDown(3_600)(asked)
    }
    const { rpc } = createPool({ a: busy })
    for (let turn = 0; turn < 300; turn++) {
      await Promise.allSettled(turn === 0 ? [call(rpc)] : [call(rpc), call(rpc), call(rpc)])
      await elapse(100, 100)
    }
    const gaps = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1_000))
    expect(gaps).toEqual([2, 4, 8, 8])
  })

  test('behavior: what is honoured can be set', async () => {
    const { rpc } = createPool({ a: slowDown(3_600) }, { retryAfterMaxMs: 20_000 })
    const error = await call(rpc).catch((thrown: unknown) => thrown)
    expect(error).toEqual(failed(['a', new TransportError('HTTP 429', 429, 20_000)]))
    const { rpc: deaf, asked } = createPool({ a: inTurn(slowDown(3_600), ok) }, { retryAfterMaxMs: 0 })
    expect([await call(deaf), asked.length]).toEqual(['fine', 2])
  })

  test('behavior: another status than 429 and 503 asks for nothing', async () => {
    const { rpc, asked } = createPool({ a: inTurn(status(404, { 'retry-after': '3600' }), ok) })
    expect(await call(rpc).catch(String)).toContain('HTTP 404')
    expect([await call(rpc), asked.length]).toEqual(['fine', 2])
  })

  test('behavior: a system clock that is set changes no rest and no duration', async () => {
    const durations: number[] = []
    const onCall = ({ durationMs }: RpcCallEvent) => durations.push(durationMs)
    const { rpc, asked } = createPool({ a: inTurn(slowDown(20), ok) }, { now: undefined, onCall })
    const wall = spyOn(Date, 'now')
    let time = 4e12
    wall.mockImplementation(() => time--)
    await call(rpc).catch(() => {})
    time = 8e12
    expect(await call(rpc).catch(String)).toContain('rate limited')
    wall.mockRestore()
    expect(asked).toEqual(['a read'])
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(0)
  })

  test('error: a final rejection is thrown without a pause', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: status(403, { 'retry-after': '5' }) })
    const seen = watch(call(rpc))
    await settle()
    expect(seen.outcome).toBeInstanceOf(AllNodesFailedError)
  })

  test('error: no pause after the last attempt', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: slowDown(1) }, { deadlineMs: 60_000 })
    const seen = watch(call(rpc))
    for (let step = 0; step < 200 && asked.length < 10; step++) await elapse(100, 100)
    await settle()
    expect(seen.outcome).toBeInstanceOf(AllNodesFailedError)
  })

  test('behavior: a pause leaves no timer behind when its call ends', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: slowDown(9) })
    const controller = new AbortController()
    const seen = watch(call(rpc, { signal: controller.signal }))
    await settle()
    controller.abort(new DeadlineError(1, null))
    await settle()
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('concurrency', () => {
  test('default: so many attempts are under way at once, and no more', async () => {
    let underWay = 0
    let most = 0
    const slow: NodeAnswer = async () => {
      most = Math.max(most, ++underWay)
      await settle()
      underWay--
      return { chainspec_name: 'test' }
    }
    const { rpc } = createPool({ a: slow }, { status: { a: slow }, concurrency: 3 })
    await Promise.all(Array.from({ length: 12 }, () => call(rpc)))
    expect([most, underWay]).toEqual([3, 0])
  })

  test('behavior: the time for one attempt starts when it gets its place', async () => {
    using _ = stopClock()
    const events: RpcCallEvent[] = []
    const slow: NodeAnswer = () => new Promise((resolve) => setTimeout(() => resolve('fine'), 400))
    const options = { concurrency: 1, timeoutMs: 500, onCall: (event: RpcCallEvent) => events.push(event) }
    const { rpc } = createPool({ a: slow }, options)
    const seen = [watch(call(rpc)), watch(call(rpc)), watch(call(rpc))]
    await elapse(1_300)
    expect(seen.map(({ outcome }) => outcome)).toEqual(['fine', 'fine', 'fine'])
    const reads = events.filter(({ method }) => method === 'read')
    expect(reads.map(({ durationMs }) => Math.round(durationMs / 100))).toEqual([4, 4, 4])
  })
})

describe('onCall', () => {
  test('default: reports every attempt when it ends', async () => {
    const events: RpcCallEvent[] = []
    const now = () => 7
    const onCall = (event: RpcCallEvent) => events.push(event)
    const { rpc } = createPool({ a: status(500), 'b:8080': ok }, { onCall, now })
    await call(rpc)
    expect(events).toHaveLength(4)
    expect(new Set(events.map((event) => JSON.stringify(event)))).toEqual(
      new Set(
        [
          { method: 'read', host: 'a', durationMs: 0, errorCode: 'transport' },
          { method: 'info_get_status', host: 'a', durationMs: 0, errorCode: null },
          { method: 'read', host: 'b:8080', durationMs: 0, errorCode: null },
          { method: 'info_get_status', host: 'b:8080', durationMs: 0, errorCode: null },
        ].map((event) => JSON.stringify(event)),
      ),
    )
  })

  test('behavior: an error answer is a failure, unless it answers the request', async () => {
    const events: RpcCallEvent[] = []
    const { rpc } = createPool({ a: refuse(-32003) }, { onCall: (event) => events.push(event) })
    await call(rpc, { refused: () => null })
    await expect(call(rpc)).rejects.toThrow()
    expect(events.filter(({ method }) => method === 'read').map(({ errorCode }) => errorCode)).toEqual([
      null,
      'json_rpc',
    ])
  })
})

describe('penalize', () => {
  test('default: another node is called first, until that fails', async () => {
    const nodes: Node[] = []
    const { rpc, asked } = createPool({ a: ok, b: inTurn(ok, status(500)) })
    const decode = (_: unknown, node: Node) => nodes.push(node)
    await call(rpc, { decode })
    for (const node of nodes) rpc.penalize(node, new Error('it lags'))
    expect(rpc.lastFailure()).toBe('a: it lags')
    expect([await call(rpc), await call(rpc)]).toEqual(['fine', 'fine'])
    expect(asked).toEqual(['a read', 'b read', 'b read', 'a read'])
  })
})

describe('except', () => {
  test('default: skips a node, which stays the preferred one', async () => {
    const nodes: Node[] = []
    const { rpc, asked } = createPool({ a: ok, b: ok })
    await call(rpc, { decode: (_: unknown, node: Node) => nodes.push(node) })
    for (const except of [nodes[0], undefined]) await call(rpc, { except })
    expect(asked).toEqual(['a read', 'b read', 'a read'])
  })
})

describe('turn', () => {
  test('default: begins with another node than the preferred one, which stays preferred', async () => {
    const { rpc, asked } = createPool({ a: ok, b: ok, c: status(500) })
    for (const turn of [0, 1, 2, 0]) await call(rpc, { turn })
    expect(asked).toEqual(['a read', 'b read', 'c read', 'a read', 'a read'])
  })
})

describe('secrets', () => {
  test('behavior: secrets in text from a node are redacted in errors', async () => {
    const urls = ['https://user:s3cret%2F@a/t0ken-in-the-path/rpc?key=qu3ry']
    const { rpc } = createPool({ a: ok }, { urls, backOff })
    const said = [
      's3cret/',
      'S3CRET%252f',
      '\\u0073\\u0033cret/',
      btoa('user:s3cret/'),
      't0ken-in-the-path',
      'qu3ry',
      urls[0],
    ]
    const decode = () => {
      throw new DecodeError(said.join(), said.join(' and '))
    }
    const error = await call(rpc, { decode }).catch((thrown: unknown) => thrown)
    expect(Bun.inspect([error, rpc.lastFailure()], { depth: 9 })).not.toMatch(
      /s3cret|u0073|t0ken|qu3ry|dXNlcjpzM2/i,
    )
    expect(String(error)).toContain('[redacted]')
  })

  test('default: user and password become a header, and show nowhere', async () => {
    const sent: unknown[] = []
    const events: RpcCallEvent[] = []
    const note: NodeAnswer = ({ init }) => {
      sent.push(init.headers)
      throw new TypeError('fetch failed: https://user:secret@a/rpc')
    }
    const { rpc } = createPool(
      { a: note },
      {
        urls: ['https://user:secret@a/rpc?token=secret'],
        onCall: (event) => events.push(event),
        backOff,
      },
    )
    const error = await call(rpc).catch((thrown: unknown) => thrown)
    expect(sent[0]).toMatchObject({ authorization: `Basic ${btoa('user:secret')}` })
    expect(error).toBeInstanceOf(Error)
    expect(Bun.inspect([error, events, rpc.lastFailure()])).not.toMatch(/secret/)
  })
})

describe('within', () => {
  test('default: the calls of a read share its deadline', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang }, { timeoutMs: 7_000 })
    const seen = watch(
      rpc.within(({ signal }) => Promise.all([call(rpc, { signal }), call(rpc, { signal })])),
    )
    await elapse(9_999)
    expect(seen.outcome).toBe('waits')
    await elapse(1)
    expect(seen.outcome).toEqual(new DeadlineError(10_000, 'a: timed out after 7000 ms'))
    expect(jest.getTimerCount()).toBe(0)
  })

  test('behavior: a call that starts late in a read has only the remaining time', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: inTurn(ok, hang) }, { timeoutMs: 60_000 })
    const late = Promise.withResolvers<void>()
    const read = rpc.within(async ({ signal }) => {
      await call(rpc, { signal })
      await late.promise
      return call(rpc, { signal })
    })
    const seen = watch(read)
    await elapse(9_000)
    late.resolve()
    await elapse(999)
    expect(seen.outcome).toBe('waits')
    await elapse(1)
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
  })

  test('behavior: a call with a signal of its caller has a deadline as well', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang }, { timeoutMs: 7_000 })
    const seen = watch(call(rpc, { signal: new AbortController().signal }))
    await elapse(10_000)
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
  })

  test('behavior: a read within another one has only the remaining time', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang }, { timeoutMs: 60_000 })
    const late = Promise.withResolvers<void>()
    const inner = (signal: AbortSignal) => rpc.within(({ signal }) => call(rpc, { signal }), signal)
    const seen = watch(rpc.within(({ signal }) => late.promise.then(() => inner(signal))))
    await elapse(9_000)
    late.resolve()
    await elapse(999)
    expect(seen.outcome).toBe('waits')
    await elapse(1)
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('behavior: within a shorter limit that was derived from its own, that one counts', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: hang })
    const limit = { timeoutMs: 5, error: () => new Error('late') }
    const seen = watch(
      rpc.within(({ signal }) =>
        limitTime({ ...limit, signal }, ({ signal: shorter }) =>
          rpc.within(({ signal: inner }) => call(rpc, { signal: inner }), shorter),
        ),
      ),
    )
    await elapse(5)
    expect(seen.outcome).toEqual(new Error('late'))
    expect(jest.getTimerCount()).toBe(0)
  })

  test('error: the reason of the caller’s signal, and the requests are aborted', async () => {
    const { rpc } = createPool({ a: hang })
    const controller = new AbortController()
    const seen = watch(rpc.within(({ signal }) => call(rpc, { signal }), controller.signal))
    await settle()
    const reason = new Error('nobody waits any more')
    controller.abort(reason)
    await settle()
    expect(seen.outcome).toBe(reason)
  })
})

describe('a node that is called when the caller gives up', () => {
  test('default: is not blamed: it did nothing wrong', async () => {
    const { rpc, asked } = createPool({ a: inTurn(ok, hang, ok), b: ok })
    await call(rpc)
    const controller = new AbortController()
    const seen = watch(rpc.within(({ signal }) => call(rpc, { signal }), controller.signal))
    await settle()
    controller.abort(new Error('enough'))
    await settle()
    expect([seen.outcome, rpc.lastFailure()]).toEqual([new Error('enough'), 'a has not answered read yet'])
    await call(rpc)
    expect(asked).toEqual(['a read', 'a read', 'a read'])
  })

  test('error: after a timeout, it comes last', async () => {
    using _ = stopClock()
    const { rpc, asked } = createPool({ a: inTurn(ok, hang), b: ok }, { timeoutMs: 60_000 })
    await call(rpc)
    const seen = watch(call(rpc))
    await elapse(10_000)
    expect(seen.outcome).toBeInstanceOf(DeadlineError)
    await call(rpc)
    expect(asked).toEqual(['a read', 'a read', 'b read'])
  })
})

describe('decode', () => {
  test('default: may make further calls within the same deadline', async () => {
    const { rpc, asked } = createPool({ a: ok })
    const decode = async (result: unknown, { host }: Node, signal: AbortSignal) => [
      result,
      host,
      await call(rpc, { method: 'more', signal }),
    ]
    expect(await rpc.call({ method: 'read', params: {}, decode })).toEqual(['fine', 'a', 'fine'])
    expect(asked).toEqual(['a read', 'a more'])
  })
})

describe('onAttempt', () => {
  test('default: is called each time that the request is sent, but not for checks of the chain', async () => {
    using _ = stopClock()
    const { rpc } = createPool({ a: inTurn(status(500), status(502), ok), b: status(500) })
    const attempts: string[] = []
    const seen = watch(call(rpc, { onAttempt: ({ host }: Node) => attempts.push(host) }))
    await elapse(1_000)
    expect(seen.outcome).toBe('fine')
    expect(attempts).toEqual(['a', 'b', 'a', 'b', 'a'])
  })
})
