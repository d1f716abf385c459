import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { runUnattended } from '../../src/runtime/runUnattended.ts'
import { createStopSignals } from '../../src/runtime/stopSignal.ts'

class FullError extends WattfeedError {
  readonly code = 'full'
  readonly retryable = false
}

const options = {
  name: 'test',
  abandon: new AbortController().signal,
  wait: () => new Promise<void>(() => {}),
  exitCodes: { failed: 1, abandoned: 3 },
}

/** Waits that end when the test says so. */
function createWaits() {
  const waits = new Map<number, () => void>()
  const wait = (ms: number) => new Promise<void>((resolve) => waits.set(ms, resolve))
  const end = async (ms: number): Promise<void> => {
    while (!waits.has(ms)) await new Promise(setImmediate)
    waits.get(ms)?.()
  }
  return { wait, end }
}

describe('runUnattended', () => {
  test('default: the exit code of the work, which opens a log without its secrets', async () => {
    let redacted = ''
    const exitCode = await runUnattended(options, async (openRedacted) => {
      redacted = openRedacted('silent', ['hunter2']).redact('password hunter2')
      return 2
    })
    expect([exitCode, redacted]).toEqual([2, expect.not.stringContaining('hunter2')])
  })

  test('behavior: work that does not end is abandoned after 9 s', async () => {
    const { wait, end } = createWaits()
    const signals = createStopSignals(wait, new Error('stopped'))
    const ended = runUnattended({ ...options, ...signals, wait }, (openRedacted) => {
      openRedacted('silent', [])
      return new Promise(() => {})
    })
    signals.end()
    expect([signals.stop.aborted, signals.abandon.aborted]).toEqual([true, false])
    await end(8_000)
    await end(1_000)
    expect(await ended).toBe(3)
  })

  test.each([
    ['an expected error is passed on', new FullError('the disk is full'), 1],
    ['a bug is not', new TypeError('no such thing'), 0],
  ])('error: %s', async (_, error, passedOn) => {
    const errors: Error[] = []
    const work = async (openRedacted: (level: 'silent', secrets: string[]) => unknown) => {
      openRedacted('silent', [])
      throw error
    }
    const exitCode = await runUnattended({ ...options, onError: (each) => errors.push(each) }, work)
    expect([exitCode, errors.length]).toEqual([1, passedOn])
  })
})
