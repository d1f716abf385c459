import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { hostFunctions, PRINT } from '../../src/engine/hostFunctions/hostFunctions.ts'
import { type RecordedTransaction, readChains, withoutStoredWasm } from '../support/recordedChains.ts'
import { createReplay } from './replays.ts'

const [start, ...lines] = readChains('host-calls/calls.jsonl.gz')
const blocks = lines.flatMap((line) => ('block' in line ? [line.block] : []))
const executed = blocks.flatMap(({ transactions }) => transactions)

const errorOf = ({ execution_result }: RecordedTransaction): unknown =>
  memberAt(execution_result, 'Version2', 'error_message')

describe('host functions, as the engine of casper-node 2.2 has executed them', () => {
  const results: unknown[] = []
  const ofNode = [...hostFunctions].filter(([name]) => name !== PRINT)
  const runs = ofNode.map(([name, each]) => ({ name, run: spyOn(each, 'run') }))
  beforeAll(async () => {
    if (start === undefined || !('genesis' in start)) throw new Error('the first line is no genesis')
    const replay = createReplay(start.genesis)
    for (const block of blocks) results.push(...(await replay.run(block)))
  })

  test.each(
    executed.map(
      (each, index) => [`${index}: ${each.title}: ${errorOf(each) ?? 'success'}`, each, index] as const,
    ),
  )('default: %s', (_, { execution_result }, index) => {
    expect(withoutStoredWasm(results[index])).toEqual(execution_result)
  })

  afterAll(() => {
    for (const { run } of runs) run.mockRestore()
  })

  test('default: they are all that a node has, and each is called', () => {
    expect(runs).toHaveLength(57)
    expect(runs.filter(({ run }) => run.mock.calls.length === 0).map(({ name }) => name)).toEqual([])
  })

  test('default: they succeed and fail in many ways', () => {
    expect(executed.length).toBeGreaterThan(500)
    expect(executed.filter((each) => errorOf(each) === null).length).toBeGreaterThan(300)
    expect(new Set(executed.map(errorOf)).size).toBeGreaterThan(40)
  })
})
