import { expect, test } from 'bun:test'
import type { Fetch } from '../src/eiaRequest.ts'
import { clientOf, wti } from './support/eiaClientOf.ts'

test('behavior: nothing of an answered request is kept until its time would have run out', async () => {
  const signals: WeakRef<object>[] = []
  const fetch: Fetch = async (_, { signal }) => {
    if (signal) signals.push(new WeakRef(signal))
    return Response.json({ response: { data: [{ period: '2026-11-20', series: 'RWTC', value: '1' }] } })
  }
  const eia = clientOf({ baseUrl: 'https://eia.invalid', fetch, timeoutMs: 3_600_000 })
  for (let requests = 0; requests < 50; requests++) await eia.listNewestRows(wti)
  Bun.gc(true)
  // The collector may take a word of the stack for a pointer.
  const kept = signals.filter((signal) => signal.deref() !== undefined).length
  expect([signals.length, kept < 10]).toEqual([50, true])
})
