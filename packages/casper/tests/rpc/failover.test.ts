import { describe, expect, test } from 'bun:test'
import { TransportError } from '../../src/rpc/jsonRpc.ts'
import { failover } from '../../src/rpc/layers.ts'
import { type Node, parseNode } from '../../src/rpc/node.ts'
import { createNodePool } from '../../src/rpc/nodePool.ts'
import { AllNodesFailedError, DeadlineError } from '../../src/rpc/rpcErrors.ts'

const broken = new TransportError('HTTP 500', 500)

/** Calls nodes a, b and c, some of which answer. */
function asking(answering: string, signal = new AbortController().signal, onAsk = () => {}) {
  const nodes = ['a', 'b', 'c'].map((name) => parseNode(`http://${name}/rpc`))
  const pool = createNodePool(nodes, () => 0)
  const asked: string[] = []
  const failed: string[] = []
  const attempt = async ({ host }: Node) => {
    asked.push(host)
    onAsk()
    if (answering.includes(host)) return `fine, says ${host}`
    throw broken
  }
  const onFailure = ({ host }: Node, { message }: Error) => void failed.push(`${host}: ${message}`)
  const ask = (choice: { only?: Node; except?: Node } = {}) =>
    failover(pool, { method: 'read', onFailure, signal, ...choice }, attempt).catch((error) => error)
  const [a, b, c] = nodes as [Node, Node, Node]
  return { ask, asked, failed, pool, a, b, c }
}

describe('failover', () => {
  test('default: the first node that answers, which then comes first', async () => {
    const { ask, asked, failed, pool } = asking('bc')
    expect(await ask()).toBe('fine, says b')
    expect([asked, failed]).toEqual([['a', 'b'], ['a: HTTP 500']])
    expect(pool.inOrder().map(({ host }) => host)).toEqual(['b', 'c', 'a'])
  })

  test('behavior: one node can be excluded, or called alone without becoming the preferred one', async () => {
    const { ask, pool, a, c } = asking('abc')
    expect(await ask({ only: c })).toBe('fine, says c')
    expect(pool.inOrder()[0]).toBe(a)
    expect(await ask({ except: a })).toBe('fine, says b')
  })

  test('behavior: a node that sent Retry-After is not called', async () => {
    const { ask, asked, failed, pool, a } = asking('abc')
    pool.demote(a, 900)
    pool.prefer(a)
    pool.demote(a, 900)
    expect(await ask({ only: a })).toBeInstanceOf(AllNodesFailedError)
    expect([asked, failed]).toEqual([[], ['a: rate limited: Retry-After has 900 ms left']])
  })

  test('error: no node answers', async () => {
    const { ask } = asking('')
    const failures = ['a', 'b', 'c'].map((host) => ({ host, error: broken }))
    expect(await ask()).toEqual(new AllNodesFailedError('read', failures))
  })

  test('error: the caller gives up, which no node is blamed for', async () => {
    const reason = new Error('enough')
    const { ask, asked, failed } = asking('abc', AbortSignal.abort(reason))
    expect(await ask()).toBe(reason)
    expect([asked, failed]).toEqual([[], []])
  })

  test('error: a timeout while a node is called is the fault of the node', async () => {
    const controller = new AbortController()
    const late = new DeadlineError(1, null)
    const { ask, asked, failed } = asking('', controller.signal, () => controller.abort(late))
    expect(await ask()).toBe(late)
    expect([asked, failed]).toEqual([['a'], ['a: no answer to read']])
  })
})
