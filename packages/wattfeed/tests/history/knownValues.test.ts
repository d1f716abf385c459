import { expect, test } from 'bun:test'
import { HistoryTooLargeError } from '../../src/history/knownValues.ts'

test('error: the message has the size of the cache in MB, and what to do', () => {
  const maxBytes = 64 * 2 ** 20
  expect(new HistoryTooLargeError('EIA.A', maxBytes).message).toBe(
    'the history of EIA.A does not fit into 64 MB; raise HISTORY_CACHE_MB, or maxBytes in the library',
  )
})
