import { expect, test } from 'bun:test'
import { createContent } from '../../../src/server/http/content.ts'
import { createAnswerCache } from '../../../src/server/readers/answerCache.ts'
import type { HistoryAnswer } from '../../../src/server/readers/historyAnswers.ts'

const asked = { feedIds: ['A'], format: 'csv', isTable: false, pin: null } as const
const answerOf = (length: number): HistoryAnswer => ({
  content: createContent('x'.repeat(length)),
  digest: null,
  next: null,
})

test('behavior: an answer that leaves the cache while it is made is still returned', async () => {
  const answers = createAnswerCache(10_000)
  const slow = Promise.withResolvers<HistoryAnswer>()
  const of = (limit: number, create: () => Promise<HistoryAnswer>) =>
    answers.getOrCreate([], { ...asked, query: { limit } }, { read: async () => null, create })
  const waiting = of(1, () => slow.promise)
  for (const limit of [2, 3, 4]) await of(limit, async () => answerOf(5_000))
  const made = answerOf(5_000)
  slow.resolve(made)
  expect(await waiting).toBe(made)
})
