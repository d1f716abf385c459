import { expect, test } from 'bun:test'
import { createAnswerAt } from '../../src/server/answerAt.ts'
import { createFakeClient, stateRootHash } from './fakeClient.ts'

async function headersOf(getLogLengths: () => Promise<string | null>) {
  const set = { headers: {} as Record<string, string> }
  const client = createFakeClient({ getLogLengths })
  const metrics = { recordSnapshot: () => {} }
  const answerAt = createAnswerAt(client, metrics, 'public, max-age=60')
  expect(await answerAt(set, async (at) => at.stateRootHash)).toBe(stateRootHash)
  return set.headers
}

test('default: state root and version of the snapshot, and how long caches may keep the answer', async () => {
  expect(await headersOf(async () => 'f1.a2')).toEqual({
    'cache-control': 'public, max-age=60',
    'x-casper-state-root': stateRootHash,
    'x-wattfeed-version': 'f1.a2',
  })
})

test('behavior: without a version, or if it cannot be read, its header is omitted', async () => {
  for (const getLogLengths of [async () => null, () => Promise.reject(new Error('no node answers'))])
    expect(await headersOf(getLogLengths)).not.toHaveProperty('x-wattfeed-version')
})
