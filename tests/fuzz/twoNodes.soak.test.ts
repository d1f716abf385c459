import { describe } from 'bun:test'
import { testConversations } from './conversations.ts'
import { fuzzCases } from './fuzzCases.ts'

// In a separate file, because each case uses a whole core.
describe('conversations with two nodes, of which one lies', () => {
  testConversations(fuzzCases.filter(({ nodes }) => nodes === 2))
})
