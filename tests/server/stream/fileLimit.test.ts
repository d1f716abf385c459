import { expect, test } from 'bun:test'
import { warnOfFileLimit } from '../../../src/server/stream/fileLimit.ts'
import { createTestLog } from '../testApp.ts'

test.each([
  [1_024, 10_000, 1],
  [10_100, 10_000, 1],
  [10_200, 10_000, 0],
  [null, 10_000, 0],
])('warnOfFileLimit: of %p files for %p streams', (limit, maxStreams, warnings) => {
  const { log, lines } = createTestLog()
  warnOfFileLimit(maxStreams, log, limit)
  expect(lines.map(({ level }) => level)).toEqual(Array.from({ length: warnings }, () => 'warn'))
})

test('warnOfFileLimit: the limit of this process is known', () => {
  const { log, lines } = createTestLog()
  warnOfFileLimit(1_000_000_000, log)
  expect(lines).toMatchObject([{ fields: { limit: expect.any(Number), maxStreams: 1_000_000_000 } }])
})
