import { beforeAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { type RecordedBlock, readChains, withoutStoredWasm } from '../support/recordedChains.ts'
import { createReplays } from './replays.ts'

const chains = readChains('engine/chains.jsonl.gz')

describe('transactions that the engine of casper-node 2.2 has executed', () => {
  const results = new Map<string, unknown[]>()
  beforeAll(async () => {
    const replays = createReplays()
    for (const line of chains)
      if ('genesis' in line) replays.start(line.genesis)
      else results.set(line.block.hash, await replays.run(line.block))
  })

  const executed = chains.flatMap((line) =>
    'block' in line ? line.block.transactions.map((_, index) => [line.block, index] as const) : [],
  )

  const titleOf = ({ height, transactions }: RecordedBlock, index: number): string => {
    const message = memberAt(transactions[index]?.execution_result, 'Version2', 'error_message')
    return `${message ?? 'success'} in block ${height}`
  }

  test.each(executed.map(([block, index], at) => [`${at}: ${titleOf(block, index)}`, block, index] as const))(
    'default: %s',
    (_, block, index) => {
      const result = withoutStoredWasm(results.get(block.hash)?.[index])
      expect(result).toEqual(block.transactions[index]?.execution_result)
    },
  )

  test('default: they install, upgrade, attest, transfer, change keys and fail in many ways', () => {
    const messages = executed.map(([{ transactions }, index]) =>
      memberAt(transactions[index]?.execution_result, 'Version2', 'error_message'),
    )
    expect(messages.length).toBeGreaterThan(300)
    expect(new Set(messages).size).toBeGreaterThan(15)
  })
})
