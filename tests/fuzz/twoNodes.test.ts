import { describe } from 'bun:test'
import { testConversations } from './conversations.ts'
import { fuzzCases } from './fuzzCases.ts'

// A file of its own: each takes a core.
describe('conversations with two nodes, of which one lies', () => {
  testConversations(fuzzCases.filter(({ nodes }) => nodes === 2))
})
