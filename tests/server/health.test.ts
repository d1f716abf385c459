import { expect, test } from 'bun:test'
import { createFakeClient } from './fakeClient.ts'
import { answerOf, createTestApp } from './testApp.ts'

test('default: alive, whatever the chain does', async () => {
  const client = createFakeClient({ snapshot: () => Promise.reject(new Error('asked')) })
  expect(await answerOf(createTestApp({ client }), '/health')).toEqual({
    status: 200,
    body: { status: 'ok', service: 'wattfeed', datasets: 232 },
  })
})
