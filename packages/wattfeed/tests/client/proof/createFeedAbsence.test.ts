import { expect, test } from 'bun:test'
import { createIdsReader } from '../../../src/client/proof/create/createFeedAbsence.ts'
import type { ProvenRegistry } from '../../../src/client/proof/provenRegistry.ts'

const ROOT = 'ab'.repeat(32)

test('behavior: a request for the ids does not fail because the one that it waits for was aborted', async () => {
  const left = Promise.withResolvers<never>()
  const aborted: ProvenRegistry = { items: [], read: () => left.promise }
  const empty: ProvenRegistry = { items: [], read: async () => null }
  const read = createIdsReader()
  const first = read(ROOT, aborted)
  const second = read(ROOT, empty)
  left.reject(new Error('the client left'))
  expect(first).rejects.toThrow('the client left')
  expect(await second).toBeNull()
})
