import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { PromptStreams } from '../../../../src/operator/prompt.ts'

/** A person at a terminal. */
export interface Person {
  terminal: PromptStreams
  /** Everything that was shown, without colors. */
  seen(): string
}

const CTRL_C = '\u0003'

/** Creates a person who answers one question after another, then presses Ctrl-C. */
export function createPerson(answers: readonly string[]): Person {
  const input = new PassThrough()
  const left = [...answers]
  let seen = ''
  let isAnswering = false

  async function answer(): Promise<void> {
    isAnswering = true
    // A prompt drops what was typed before it.
    await settled()
    input.write(left[0] ?? CTRL_C)
    await settled()
    if (left.shift() !== undefined) input.write('\r')
    await settled()
    isAnswering = false
    if (isOpen()) await answer()
  }

  /** Whether the question that was shown last waits for an answer. */
  const isOpen = (): boolean => seen.lastIndexOf('? ') > seen.lastIndexOf('✔ ')

  /** A prompt ends its output. */
  function openOutput(): PassThrough {
    return new PassThrough().on('data', (chunk) => {
      seen += stripVTControlCharacters(String(chunk))
      if (!isAnswering && isOpen()) answer()
    })
  }

  return {
    seen: () => seen,
    terminal: {
      input,
      get output() {
        return openOutput()
      },
    },
  }
}

/** Waits for a prompt to take what was typed. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}
