import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../src/server/log.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wattfeed-log-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function linesOf(level: 'info' | 'warn', use: (log: ReturnType<typeof createLog>['log']) => void) {
  const path = join(folder, `${level}.log`)
  const fd = openSync(path, 'w')
  const { log, flush } = createLog({ level, fd })
  use(log)
  await flush()
  closeSync(fd)
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

test('default: a JSON object a line, whatever it holds', async () => {
  const path = '/v1/feeds/"\\\n\u2028😀'
  expect(await linesOf('info', (log) => log.info({ path }, 'request'))).toEqual([
    { level: 30, time: expect.any(Number), path, msg: 'request' },
  ])
})

test('default: an error has its stack', async () => {
  const [line] = await linesOf('warn', (log) => {
    log.info({}, 'not this')
    log.error({ err: new TypeError('x') }, 'internal error')
  })
  expect(line).toMatchObject({
    level: 50,
    err: { type: 'TypeError', message: 'x', stack: expect.stringContaining(' at ') },
  })
})
