import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { EventLog } from '../../src/rpc/eventLog.ts'

/** Returns the events that a log keeps. */
const kept = (log: EventLog): (string | null)[] =>
  Array.from({ length: log.nextId - log.firstId }, (_, index) => log.get(log.firstId + index))

describe('EventLog', () => {
  test('default: it keeps the newest events, numbered from 0', () => {
    const log = new EventLog({ maxEvents: 2, maxLength: 100 })
    expect([log.firstId, log.nextId, log.get(0)]).toEqual([0, 0, null])
    for (const text of ['a', 'b', 'c']) log.add(text)
    expect([log.firstId, log.nextId]).toEqual([1, 3])
    expect([0, 1, 2, 3].map((id) => log.get(id))).toEqual([null, 'b', 'c', null])
  })

  test('behavior: an event longer than all others may be is kept until the next', () => {
    const log = new EventLog({ maxEvents: 10, maxLength: 4 })
    for (const text of ['a', 'too long', 'b']) log.add(text)
    expect(kept(log)).toEqual(['b'])
    log.add('longer')
    expect(kept(log)).toEqual(['longer'])
  })

  test('behavior: it never exceeds its limits, and never drops an event that has room', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.string({ maxLength: 8 }), { maxLength: 30 }),
        (maxEvents, maxLength, texts) => {
          const log = new EventLog({ maxEvents, maxLength })
          for (const text of texts) log.add(text)
          const some = kept(log)
          expect(log.nextId).toBe(texts.length)
          expect(some).toEqual(texts.slice(texts.length - some.length))
          const isWithin = (list: readonly unknown[]): boolean =>
            list.length <= 1 || (list.length <= maxEvents && list.join('').length <= maxLength)
          expect(isWithin(some)).toBeTrue()
          if (some.length < texts.length)
            expect(isWithin(texts.slice(texts.length - some.length - 1))).toBeFalse()
        },
      ),
    )
  })
})
