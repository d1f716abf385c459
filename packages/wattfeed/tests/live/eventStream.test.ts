import { expect, test } from 'bun:test'
import { FUZZ_RUNS } from '@wattfeed/testing/fuzzRuns'
import { createRandom } from '@wattfeed/testing/random'
import { createParser } from 'eventsource-parser'
import { createFrameParser, type Frame } from '../../src/live/eventStream.ts'

/** Parses a whole stream with a common library. */
function expectedFrames(text: string): Frame[] {
  const frames: Frame[] = []
  const parser = createParser({
    // Comes before the event of the same block, and if there is none.
    onId: (id) => frames.push({ id, event: null, data: '' }),
    onEvent: ({ id = null, event = 'message', data }) => {
      if (id !== null) frames.pop()
      frames.push({ id, event, data })
    },
  })
  parser.feed(text)
  return frames
}

const tokens = [
  ...['\n', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', ' ', '  ', ':', ': ', '\0', '\ufeff', 'x', '€', '🛢️'],
  ...[
    'data: ',
    'data:',
    'data',
    'Data: ',
    'id: ',
    'id:',
    'id',
    'event: ',
    'event:',
    'event',
    'retry: 10',
    ': beat',
  ],
]

test('behavior: for any text and any chunks, the frames match those of eventsource-parser', () => {
  const random = createRandom(17)
  const below = (limit: number) => Math.floor(random() * limit)
  const seen = { frames: 0, alone: 0 }
  for (let run = 0; run < 20 * FUZZ_RUNS; run++) {
    const text = Array.from({ length: 1 + below(60) }, () => tokens[below(tokens.length)]).join('')
    // After a final CR, an LF may follow. The library waits for the next byte, this parser does not.
    const bytes = Buffer.from(`${text}\n.`)
    const parse = createFrameParser()
    const frames: Frame[] = []
    for (let at = 0, step = 0; at < bytes.length; at += step) {
      step = below(1 + below(20))
      frames.push(...parse(bytes.subarray(at, at + step)))
    }
    expect({ text, frames }).toEqual({ text, frames: expectedFrames(bytes.toString()) })
    seen.frames += frames.length
    seen.alone += frames.filter(({ event }) => event === null).length
  }
  expect(Math.min(seen.frames, seen.alone)).toBeGreaterThan(FUZZ_RUNS)
})
