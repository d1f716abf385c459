import { describe, expect, test } from 'bun:test'
import { type AgentEvent, reportTo } from '../../src/agent/events.ts'

const event: AgentEvent = { event: 'balance', balanceMotes: 7n }

function createLog() {
  const errors: unknown[] = []
  return { errors, log: { error: (fields: object, message: string) => void errors.push([fields, message]) } }
}

describe('reportTo', () => {
  test('default: everybody hears of an event at once, in order, also who subscribes later', async () => {
    const { log } = createLog()
    const heard: string[] = []
    const { report, subscribe } = reportTo([() => void heard.push('a')], log)
    subscribe(() => void heard.push('b'))
    const told = report(event)
    expect(heard).toEqual(['a', 'b'])
    await told
  })

  test('behavior: who fails is logged, and stops nothing', async () => {
    const { errors, log } = createLog()
    const heard: AgentEvent[] = []
    const thrown = new Error('a bug')
    const { report } = reportTo(
      [
        () => {
          throw thrown
        },
        () => Promise.reject(thrown),
        (each) => void heard.push(each),
      ],
      log,
    )
    await report(event)
    expect(heard).toEqual([event])
    expect(errors).toEqual(Array(2).fill([{ err: thrown, event: 'balance' }, 'internal error']))
  })

  test('behavior: it waits for all, so that a step is known before the next one', async () => {
    const { log } = createLog()
    const hearing = Promise.withResolvers<void>()
    let isTold = false
    const told = Promise.resolve(reportTo([() => hearing.promise], log).report(event)).then(() => {
      isTold = true
    })
    await Promise.resolve()
    expect(isTold).toBeFalse()
    hearing.resolve()
    await told
  })
})
