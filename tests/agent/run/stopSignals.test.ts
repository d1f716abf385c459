import { expect, test } from 'bun:test'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { turn } from './fakes.ts'

test('default: stops at once, and abandons when the time that it gives is over', async () => {
  const waits: [number, () => void][] = []
  const wait = (ms: number) => new Promise<void>((resolve) => waits.push([ms, resolve]))
  const { stop, abandon, end } = createStopSignals(wait)
  expect([stop.aborted, abandon.aborted]).toEqual([false, false])
  end()
  end()
  expect([stop.aborted, abandon.aborted, waits.map(([ms]) => ms)]).toEqual([true, false, [8_000]])
  expect(stop.reason).toMatchObject({ code: 'stopped', retryable: true })
  waits[0]?.[1]()
  await turn()
  expect([abandon.aborted, abandon.reason.code]).toEqual([true, 'stopped'])
})
