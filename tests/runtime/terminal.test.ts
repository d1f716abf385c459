import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { SettingsError } from '../../src/runtime/settings/settings.ts'
import { createTerminal } from '../../src/runtime/terminal.ts'

let output: Mock<typeof console.log>
let errors: Mock<typeof console.error>

beforeEach(() => {
  output = spyOn(console, 'log').mockImplementation(() => {})
  errors = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  output.mockRestore()
  errors.mockRestore()
  process.exitCode = 0
})

const printed = () => ({
  out: output.mock.calls.flat(),
  error: errors.mock.calls.flat(),
  exitCode: process.exitCode,
})
const found = async () => ({ report: { command: 'find', count: 1 }, text: 'one', exitCode: 2 })
const failing = async (): Promise<never> => {
  throw new SettingsError({ faults: ['A is not set', 'B holds s3cret'] })
}

describe('run', () => {
  test('default: prints the text, and sets the exit code', async () => {
    await createTerminal('feeds').run({ name: 'find' }, found)
    expect(printed()).toEqual({ out: ['one'], error: [], exitCode: 2 })
  })

  test('default: with json, one object', async () => {
    await createTerminal('feeds').run({ name: 'find', json: true }, found)
    expect(printed()).toEqual({ out: ['{"command":"find","count":1}'], error: [], exitCode: 2 })
  })

  test('behavior: in JSON, invisible and bidirectional characters are escapes', async () => {
    const text = 'a\u202e\u3164'
    const terminal = createTerminal('feeds')
    await terminal.run({ name: 'find', json: true }, async () => ({ report: { text }, text: '' }))
    await terminal.run({ name: 'find', json: true }, async () => {
      throw new SettingsError({ faults: [text] })
    })
    const { out } = printed()
    expect(out[0]).toBe('{"text":"a\\u202e\\u3164"}')
    expect(out[1]).toContain('a\\u202e\\u3164')
  })

  test('error: each line behind the program’s name, secrets redacted', async () => {
    const terminal = createTerminal('feeds')
    terminal.hide(['s3cret'])
    await terminal.run({ name: 'find', exitCodeOf: () => 3 }, failing)
    const { out, error, exitCode } = printed()
    expect([out, error[0], exitCode]).toEqual([[], 'feeds: A is not set', 3])
    expect(error[1]).toStartWith('feeds: B holds ')
    expect(error.join()).not.toContain('s3cret')
  })

  test('error: with json, one object also has the error', async () => {
    const terminal = createTerminal('feeds')
    terminal.hide(['s3cret'])
    await terminal.run({ name: 'find', json: true }, failing)
    const { out, exitCode } = printed()
    expect(JSON.parse(String(out))).toMatchObject({
      command: 'find',
      error: { code: 'settings', retryable: false },
    })
    expect([String(out).includes('s3cret'), exitCode]).toEqual([false, 1])
  })

  test('error: control characters are shown and have no effect', async () => {
    const work = async () => {
      throw new SettingsError({ faults: ['EIA says \u001b[2J\u202e', 'A is not set'] })
    }
    await createTerminal('feeds').run({ name: 'find' }, work)
    expect(printed().error).toEqual(['feeds: EIA says \\u{1b}[2J\\u{202e}', 'feeds: A is not set'])
  })

  test('error: a bug is thrown on', async () => {
    const bug = new TypeError('undefined is not a function')
    await expect(createTerminal('feeds').run({ name: 'find' }, () => Promise.reject(bug))).rejects.toBe(bug)
  })
})

test('progress: only at a terminal, and the same line once; milestones always', () => {
  const { isTTY } = process.stderr
  const { progress, milestone } = createTerminal('feeds')
  try {
    process.stderr.isTTY = false
    progress('0 of 2')
    milestone('half')
    process.stderr.isTTY = true
    for (const line of ['1 of 2', '1 of 2', '2 of 2']) progress(line)
  } finally {
    process.stderr.isTTY = isTTY
  }
  expect(printed().error).toEqual(['half', '1 of 2', '2 of 2'])
})
