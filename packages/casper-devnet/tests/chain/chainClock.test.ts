import { describe, expect, test } from 'bun:test'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { createFolder } from '@wattfeed/testing/folder'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const DAY_MS = 86_400_000

describe('a clock that is moved', () => {
  test('default: it goes on from there, and the next block has its time', () => {
    let now = NOW
    const chain = createTestChain({ now: () => now })
    chain.setTime(NOW + DAY_MS)
    now += 1_000
    expect(chain.now()).toBe(NOW + DAY_MS + 1_000)
    expect(chain.produceBlock().timestampMs).toBe(NOW + DAY_MS + 1_000)
  })

  test.each([
    ['the machine', NOW],
    ['the chain', NOW + DAY_MS],
  ])('default: a transaction with the time of %s is in time', (_, timestampMs) => {
    const chain = createTestChain()
    chain.setTime(NOW + DAY_MS)
    expect(chain.put(sessionOf(1, { timestampMs }))).toBeNull()
    expect(chain.tip()).toMatchObject({ height: 1, timestampMs: NOW + DAY_MS })
  })

  test.each([
    ['between both', NOW + DAY_MS / 2, 'expired'],
    ['before both', NOW - DAY_MS, 'expired'],
    ['after both', NOW + 2 * DAY_MS, 'timestampInFuture'],
  ] as const)('error: a transaction with a time %s', (_, timestampMs, refusal) => {
    const chain = createTestChain()
    chain.setTime(NOW + DAY_MS)
    expect(chain.put(sessionOf(1, { timestampMs }))).toBe(refusal)
  })

  test('behavior: moved to a time before the machine’s, transactions of both are in time', () => {
    let now = NOW
    const chain = createTestChain({ now: () => now })
    now += DAY_MS
    chain.setTime(NOW + 1_000)
    for (const [nonce, timestampMs] of [NOW + DAY_MS, NOW + 1_000].entries())
      expect(chain.put(sessionOf(nonce, { timestampMs }))).toBeNull()
    expect(chain.tip()).toMatchObject({ height: 2, timestampMs: NOW + 1_001 })
  })

  test('behavior: a pending transaction does not expire by the move, only by the machine’s time', () => {
    let now = NOW
    const chain = createTestChain({ now: () => now, blockTimeMs: 'manual' })
    const expired: unknown[] = []
    chain.subscribe((event) => {
      if ('TransactionExpired' in event) expired.push(event.TransactionExpired)
    })
    const [kept, late] = [sessionOf(1), sessionOf(2)]
    chain.put(kept)
    chain.setTime(NOW + DAY_MS)
    chain.produceBlock()
    expect(chain.getTransaction('Version1', kept.hash)?.blockHeight).toBe(1)
    chain.put(late)
    now += 1_800_001
    chain.produceBlock()
    expect(expired).toEqual([{ transaction_hash: { Version1: late.hash } }])
    expect(chain.getTransaction('Version1', late.hash)).toBeNull()
  })

  test.each([NOW, NOW - 1, Number.NaN, 1e16])(
    'error: the time %p, which is not after the newest block',
    (timeMs) => {
      expect(() => createTestChain().setTime(timeMs)).toThrow(
        `time must be after that of the newest block, ${new Date(NOW).toISOString()}`,
      )
    },
  )

  test('behavior: a fork has it, unless it gets a clock of its own', () => {
    const chain = createTestChain()
    chain.setTime(NOW + DAY_MS)
    expect(chain.fork().now()).toBe(NOW + DAY_MS)
    expect(chain.fork(() => NOW + 5).now()).toBe(NOW + 5)
  })

  test('behavior: a stored chain goes on from its newest block, and takes transactions of the machine’s time', () => {
    using folder = createFolder()
    const chain = createTestChain({ directory: folder.path })
    chain.setTime(NOW + DAY_MS)
    chain.produceBlock()
    chain.close()
    const again = createTestChain({ directory: folder.path })
    expect(again.put(sessionOf(1))).toBeNull()
    expect(again.tip()).toMatchObject({ height: 2, timestampMs: NOW + DAY_MS + 1 })
    again.close()
  })
})
