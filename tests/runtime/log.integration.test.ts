import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRedact } from '@wattfeed/base'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createLog, type Log } from '../../src/runtime/log.ts'
import { runToEnd } from '../support/program.ts'

let folder: Folder
beforeAll(() => {
  folder = createFolder()
})
afterAll(() => folder[Symbol.dispose]())

let logs = 0

type LogOptions = Omit<Parameters<typeof createLog>[0], 'fd'>

async function textOf(options: LogOptions, use: (log: Log) => void): Promise<string> {
  const path = join(folder.path, `${logs++}.log`)
  const fd = openSync(path, 'w')
  const { log, flush } = createLog({ ...options, fd })
  use(log)
  await flush()
  closeSync(fd)
  return readFileSync(path, 'utf8')
}

async function linesOf(options: LogOptions, use: (log: Log) => void) {
  const text = await textOf(options, use)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('default: one JSON object per line, for any content', async () => {
  const path = '/v1/feeds/"\\\n\u2028😀'
  expect(await linesOf({ level: 'info' }, (log) => log.info({ path }, 'request'))).toEqual([
    { level: 30, time: expect.any(Number), path, msg: 'request' },
  ])
})

test.each([undefined, createRedact(['k3y'])])(
  'behavior: invisible and bidirectional characters are JSON escapes, with %p',
  async (redact) => {
    const text = await textOf({ level: 'info', ...(redact && { redact }) }, (log) => {
      log.warn({ feed: 'a\u202eb\u3164', err: new Error('\u{e0041}') }, '\u2028')
    })
    expect(text).not.toMatch(/[\u202e\u3164\u2028\u{e0041}]/u)
    expect(JSON.parse(text)).toMatchObject({
      feed: 'a\u202eb\u3164',
      err: { message: '\u{e0041}' },
      msg: '\u2028',
    })
  },
)

test('default: an error has its stack', async () => {
  const [line] = await linesOf({ level: 'warn' }, (log) => {
    log.info({}, 'not this')
    log.error({ err: new TypeError('x') }, 'internal error')
  })
  expect(line).toMatchObject({
    level: 50,
    err: { type: 'TypeError', message: 'x', stack: expect.stringContaining(' at ') },
  })
})

test('behavior: an info line has the same fields as any other', async () => {
  const cycle: { of?: object } = {}
  cycle.of = cycle
  const fields = [
    { err: new TypeError('x') },
    { count: 2n },
    { cycle },
    { none: undefined, nan: Number.NaN },
    {},
  ]
  const lines = await linesOf({ level: 'info' }, (log) => {
    for (const each of fields) log.info(each, 'info')
    for (const each of fields) log.warn(each, 'info')
  })
  const [info, warn] = [lines.slice(0, fields.length), lines.slice(fields.length)]
  expect(info).toEqual(warn.map((line) => ({ ...line, level: 30, time: expect.any(Number) })))
  expect(info[0]).toMatchObject({ err: { message: 'x', stack: expect.stringContaining(' at ') } })
})

test('behavior: secrets are redacted in fields, errors and messages, and a line stays valid JSON', async () => {
  const secrets = ['k"3y', '3000']
  const text = await textOf({ level: 'info', redact: createRedact(secrets) }, (log) => {
    log.info({ url: 'http://a/?k=k"3y', deep: [{ of: 'k"3y' }], count: 3000 }, 'asked with k"3y')
    log.error({ err: new Error('k"3y is wrong') }, 'failed')
    log.info({}, 'nothing to hide')
  })
  const [first, second, third] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(first).toEqual({
    level: 30,
    time: expect.any(Number),
    url: 'http://a/?k=[redacted]',
    deep: [{ of: '[redacted]' }],
    count: 3000,
    msg: 'asked with [redacted]',
  })
  expect([second.err.message, third.msg]).toEqual(['[redacted] is wrong', 'nothing to hide'])
  expect(text).not.toMatch(/k\\?"3y/)
})

test.each(['process.exit(3)', "throw new Error('x')"])(
  'behavior: lines logged before %p are written',
  async (end) => {
    const source = fileURLToPath(new URL('../../src/runtime/log.ts', import.meta.url))
    const script = `
      const { createLog } = await import(${JSON.stringify(source)})
      const { log } = createLog({ level: 'info' })
      log.info({ path: '/' }, 'request')
      log.error({}, 'failed')
      ${end}`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'pipe' })
    const lines = (await new Response(child.stderr).text())
      .split('\n')
      .filter((line) => line.includes('"msg"'))
    expect(lines.slice(-2).map((line) => JSON.parse(line).msg)).toEqual(['request', 'failed'])
  },
)

test('behavior: a reader that has stopped holds nothing up, and learns later how much it missed', async () => {
  const source = fileURLToPath(new URL('../../src/runtime/log.ts', import.meta.url))
  const script = `
    const { createLog } = await import(${JSON.stringify(source)})
    const { log, flush } = createLog({ level: 'info' })
    const text = 'x'.repeat(1_000_000)
    for (let line = 0; line < 20; line++) log.info({ text }, 'line')
    await flush()
    console.log('goes on')
    setInterval(() => {}, 1_000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('goes on\n')
  let text = ''
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.endsWith('had stopped"}\n')) break
  }
  child.kill()
  const lines = text.trim().split('\n')
  const { characters } = JSON.parse(lines.pop() ?? '')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array.from(lines, () => 'line'))
  // Each line has slightly more than a million characters.
  expect([lines.length, Math.floor(characters / 1_000_000)]).toEqual([7, 13])
})

test('error: a log that cannot be written does not keep the process from ending', async () => {
  const source = fileURLToPath(new URL('../../src/runtime/log.ts', import.meta.url))
  const script = `
    const { createLog } = await import(${JSON.stringify(source)})
    const { log, flush } = createLog({ level: 'info', fd: (await import('node:fs')).openSync('/dev/full', 'w') })
    log.info({}, 'line')
    await flush()
    console.log('flushed')
    process.exit(7)`
  const { exitCode, stdout } = await runToEnd([process.execPath, '-e', script])
  expect([exitCode, stdout]).toEqual([7, 'flushed\n'])
})
