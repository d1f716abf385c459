import { expect, test } from 'bun:test'
import { writeLines } from '../../../src/server/workers/workerProcess.ts'

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
