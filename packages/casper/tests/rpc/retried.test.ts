import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { backOff } from '../../../../tests/support/patience.ts'
import { TransportError } from '../../src/rpc/jsonRpc.ts'
import { retried } from '../../src/rpc/layers.ts'

/** Returns the number of rounds if each fails with this error, or if the last one succeeds. */
async function rounds(error: Error, succeedsAfter = Number.POSITIVE_INFINITY): Promise<number> {
  let count = 0
  const round = async () => {
    count += 1
    if (count <= succeedsAfter) throw error
  }
  const signal = new AbortController().signal
  await retried({ backOff, deadlineMs: 10_000, signal }, round).catch(() => {})
  return count
}

describe('retried', () => {
  test('default: one round, if it succeeds', async () => {
    expect(await rounds(new TransportError('HTTP 500', 500), 0)).toBe(1)
  })

  test('behavior: another round until one succeeds', async () => {
    expect(await rounds(new TransportError('HTTP 500', 500), 2)).toBe(3)
  })

  test.each([
    ['a failure that may pass', new TransportError('HTTP 500', 500), 10],
    ['a wrong answer', new DecodeError('Thing', 'it is garbage'), 4],
    ['a final failure', new TransportError('HTTP 403', 403), 1],
    ['a wait beyond the deadline', new TransportError('HTTP 429', 429, 10_000), 1],
  ])('error: %s', async (_, error, expected) => {
    expect(await rounds(error)).toBe(expected)
  })
})
