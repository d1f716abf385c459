import { beforeAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { type RecordedBlock, readChains, withoutStoredWasm } from './chains.ts'
import { createReplay } from './replays.ts'

const [start, ...lines] = readChains('host-calls/calls.jsonl.gz')
const blocks = lines.flatMap((line) => ('block' in line ? [line.block] : []))

describe('host functions, as the engine of casper-node 2.2 has executed them', () => {
  const results: unknown[] = []
  beforeAll(async () => {
    if (start === undefined || !('genesis' in start)) throw new Error('the first line is no genesis')
    const replay = createReplay(start.genesis)
    for (const block of blocks) results.push(...(await replay.run(block)))
  })

  const titleOf = ({ height, transactions }: RecordedBlock): string => {
    const [executed] = transactions
    const message = memberAt(executed?.execution_result, 'Version2', 'error_message')
    return `${height}: ${executed?.title}: ${message ?? 'success'}`
  }

  test.each(blocks.map((block, index) => [titleOf(block), block, index] as const))(
    'default: %s',
    (_, { transactions }, index) => {
      expect(withoutStoredWasm(results[index])).toEqual(transactions[0]?.execution_result)
    },
  )
})
