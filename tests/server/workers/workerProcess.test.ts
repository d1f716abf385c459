import { describe, expect, test } from 'bun:test'
import { createScrape, writeLines } from '../../../src/server/workers/workerProcess.ts'

test('behavior: lines are written whole, however they come; the last one also without its end', async () => {
  const chunks = ['{"a":', '1}\n{"b":2}\n{', '"c":3', '}\n', 'panic: no', ' memory']
  const output = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const written: string[] = []
  await writeLines(output, async (lines) => void written.push(new TextDecoder().decode(lines)))
  expect(written).toEqual(['{"a":1}\n{"b":2}\n', '{"c":3}\n', 'panic: no memory'])
})

describe('createScrape', () => {
  test('behavior: one that hangs is asked once, and all get its answer when it comes', async () => {
    let asked = 0
    const { samples, answer } = createScrape(() => ++asked > 0)
    const both = Promise.all([samples(), samples()])
    expect(asked).toBe(1)
    answer([])
    expect(await both).toEqual([[], []])
    const next = samples()
    expect(asked).toBe(2)
    answer(null)
    expect(await next).toBeNull()
  })

  test('behavior: one that is gone is not waited for, and asked again', async () => {
    let isThere = false
    const { samples, answer } = createScrape(() => isThere)
    expect(await samples()).toBeNull()
    isThere = true
    const next = samples()
    answer([])
    expect(await next).toEqual([])
  })
})
