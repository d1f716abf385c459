import { describe, expect, test } from 'bun:test'
import { testConversations } from './conversations.ts'
import { fuzzCases } from './fuzzCases.ts'

test('default: the shares of all cases add up to one', () => {
  expect(fuzzCases.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
})

describe('conversations with the only node, which lies', () => {
  testConversations(fuzzCases.filter(({ nodes }) => nodes === 1))
})
