import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '@modelcontextprotocol/client'
import { type RecordedNode, startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createTestApp } from '../testApp.ts'
import { callTool, connectTo, publicUrl } from './mcpClient.ts'
import questions from './questions.json' with { type: 'json' }

// Each answer was found with the list of tools alone. The calls are replayed here on the same recorded chain.

const now = () => Date.UTC(2026, 10, 20, 12)

const MAX_CALLS = 2

let node: RecordedNode
let mcp: Client

beforeAll(async () => {
  node = await startRecordedNode()
  const client = clientOf(node, [node.url])
  mcp = await connectTo(createTestApp({ client, network: node, publicUrl, now }), '2026-07-28')
})
afterAll(async () => {
  await mcp.close()
  await node.stop()
})

test('default: there are two sets of twelve questions, and together they need every tool', () => {
  const used = questions.flatMap(({ calls }) => calls.map(({ tool }) => tool))
  expect([questions.length, [...new Set(used)].sort()]).toEqual([
    24,
    ['get_history', 'get_readings', 'get_status', 'search_datasets', 'search_feeds', 'verify_claim'],
  ])
})

describe.each(questions)('$question', ({ calls, facts }) => {
  test(`default: at most ${MAX_CALLS} calls have the facts of the answer`, async () => {
    expect(calls.length).toBeLessThanOrEqual(MAX_CALLS)
    const answers = []
    for (const { tool, arguments: args } of calls) answers.push(await callTool(mcp, tool, args))
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    const all = answers.map(({ text, data }) => `${text}\n${JSON.stringify(data)}`).join('\n')
    expect(facts.filter((fact) => !all.includes(fact))).toEqual([])
    // A feed that the second call names is one that the first call found.
    const [first] = answers
    const named = calls
      .slice(1)
      .flatMap(({ arguments: args }) => ('feeds' in args ? args.feeds : 'feed' in args ? [args.feed] : []))
    expect(named.filter((feed) => !first?.json.includes(String(feed)))).toEqual([])
  })
})
