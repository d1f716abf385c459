import { expect, spyOn, test } from 'bun:test'
import { createAgentLines } from '../../src/demo/agentLines.ts'
import type { AgentLine } from '../../src/demo/programs.ts'

const lineOf = (feed: string, hash: string | null, fields: Partial<AgentLine> = {}): AgentLine => ({
  feed_id: feed,
  decision: 'revision',
  value: '5.5',
  unit: 'MW',
  transaction_hash: hash,
  error: null,
  ...fields,
})

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const

test('default: once every feed has a value, each transaction is printed once, with the first ten digits of its hash', async () => {
  using log = spyOn(console, 'log').mockImplementation(() => {})
  const printed = (): unknown[] => log.mock.calls.splice(0).flat()
  const signers: Record<string, string[]> = { [B]: ['Ann', 'Ben'] }
  const lines = createAgentLines(2, async (hash) => signers[hash] ?? [])
  const show = async (line: AgentLine): Promise<unknown[]> => {
    lines.show(line)
    await Promise.resolve()
    return printed()
  }
  expect(await show(lineOf('F', A))).toEqual([])
  expect(
    await show(lineOf('G', null, { error: { code: 'x', message: 'no answer', retryable: true } })),
  ).toEqual(['  G: no answer'])
  expect(await show(lineOf('G', B))).toEqual([])
  await lines.ready
  expect(await show(lineOf('F', A))).toEqual([])
  expect(await show(lineOf('F', B))).toEqual([
    '  F = 5.5 MW (revision, transaction bbbbbbbbbb…, signed by Ann, Ben)',
  ])
  expect(await show(lineOf('F', B))).toEqual([])
  expect(await show(lineOf('G', A))).toEqual(['  G = 5.5 MW (revision, transaction aaaaaaaaaa…)'])
  lines.end()
  expect(await show(lineOf('F', A))).toEqual([])
})
