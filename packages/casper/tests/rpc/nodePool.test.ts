import { describe, expect, test } from 'bun:test'
import { type Node, parseNode } from '../../src/rpc/node.ts'
import { createNodePool, type NodePool } from '../../src/rpc/nodePool.ts'

/** A pool of nodes with these names, and a clock. */
function poolOf(...names: string[]) {
  const clock = { now: 0 }
  const pool = createNodePool(
    names.map((name) => parseNode(`http://${name}/rpc`)),
    () => clock.now,
  )
  const node = (name: string): Node => {
    const found = pool.inOrder().find(({ host }) => host === name)
    if (found === undefined) throw new Error(`no node ${name}`)
    return found
  }
  return { pool, clock, node, order: () => orderOf(pool) }
}

const orderOf = (pool: NodePool): string =>
  pool
    .inOrder()
    .map(({ host }) => host)
    .join('')

describe('createNodePool', () => {
  test('default: nodes come in the order of their URLs', () => {
    const { pool, order } = poolOf('a', 'b', 'c')
    expect(order()).toBe('abc')
    expect(pool.inOrder()[0]).toMatchObject({ url: 'http://a/rpc', host: 'a', headers: {} })
  })

  test('behavior: the node that answered last comes first, the others follow in turn', () => {
    const { pool, node, order } = poolOf('a', 'b', 'c')
    pool.prefer(node('b'))
    expect(order()).toBe('bca')
    pool.prefer(node('c'))
    expect(order()).toBe('cab')
  })

  test('behavior: a node that failed comes last for a second', () => {
    const { pool, clock, node, order } = poolOf('a', 'b', 'c')
    pool.demote(node('a'))
    expect(order()).toBe('bca')
    clock.now = 999
    expect(order()).toBe('bca')
    clock.now = 1_000
    expect(order()).toBe('abc')
  })

  test('behavior: demoted nodes come in the order in which they recover', () => {
    const { pool, clock, node, order } = poolOf('a', 'b', 'c')
    pool.demote(node('b'))
    clock.now = 100
    pool.demote(node('a'))
    pool.demote(node('c'), 50)
    expect(order()).toBe('bac')
  })

  test('behavior: the rest doubles each time, up to a minute', () => {
    const { pool, clock, node, order } = poolOf('a', 'b')
    for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      pool.demote(node('a'))
      clock.now += restMs - 1
      expect(order()).toBe('ba')
      clock.now += 1
      expect(order()).toBe('ab')
    }
  })

  test('behavior: a node that answers again has no past', () => {
    const { pool, clock, node, order } = poolOf('a', 'b')
    for (let times = 0; times < 5; times++) pool.demote(node('a'))
    pool.prefer(node('a'))
    expect(order()).toBe('ab')
    pool.demote(node('a'))
    clock.now = 1_000
    expect(order()).toBe('ab')
  })

  test('behavior: a node is not called as long as it asked', () => {
    const { pool, clock, node } = poolOf('a', 'b')
    pool.demote(node('a'), 5_000)
    pool.demote(node('a'), 10)
    clock.now = 4_999
    expect([pool.waitMs(node('a')), pool.waitMs(node('b'))]).toEqual([1, 0])
    clock.now = 5_000
    expect(pool.waitMs(node('a'))).toBe(0)
  })

  test('behavior: nodes with an endless Retry-After keep their order', () => {
    const { pool, node, order } = poolOf('a', 'b', 'c')
    for (const name of ['c', 'b']) pool.demote(node(name), Number.POSITIVE_INFINITY)
    expect(order()).toBe('abc')
  })

  test('behavior: a node of another pool is ignored', () => {
    const { pool, order } = poolOf('a', 'b')
    pool.demote(parseNode('http://a/rpc'))
    expect(order()).toBe('ab')
  })

  // Simultaneous calls that fail together count as one failure of the node, not as many.
  test('behavior: failures of one moment count once', () => {
    const { pool, clock, node, order } = poolOf('a', 'b')
    for (let call = 0; call < 7; call++) pool.demote(node('a'))
    clock.now = 1_000
    expect(order()).toBe('ab')
  })

  test('behavior: a node that lags comes last although it answers, and another is preferred from then on', () => {
    const { pool, clock, node, order } = poolOf('a', 'b', 'c')
    pool.penalize(node('a'))
    pool.prefer(node('a'))
    expect(order()).toBe('bca')
    clock.now = 1_000
    expect(order()).toBe('bca')
    pool.prefer(node('a'))
    expect(order()).toBe('abc')
  })

  test('behavior: the penalty doubles each time, until the node was right for longer than that', () => {
    const { pool, clock, node, order } = poolOf('a', 'b')
    for (const penaltyMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      for (let times = 0; times < 3; times++) pool.penalize(node('a'))
      clock.now += penaltyMs - 1
      pool.prefer(node('a'))
      expect(order()).toBe('ba')
      clock.now += 1
      pool.prefer(node('a'))
      expect(order()).toBe('ab')
    }
    clock.now += 60_000
    pool.penalize(node('a'))
    clock.now += 1_000
    pool.prefer(node('a'))
    expect(order()).toBe('ab')
  })

  test('behavior: a penalized node answers before one that fails for longer', () => {
    const { pool, clock, node, order } = poolOf('a', 'b')
    for (let times = 0; times < 3; times++) {
      pool.demote(node('a'))
      clock.now += 4_000
    }
    pool.demote(node('a'))
    pool.penalize(node('b'))
    expect(order()).toBe('ba')
    clock.now += 8_000
    expect(order()).toBe('ab')
  })
})
