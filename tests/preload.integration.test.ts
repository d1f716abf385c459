import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { createFolder } from './support/folder.ts'
import { runToEnd } from './support/program.ts'

const preload = fileURLToPath(new URL('preload.ts', import.meta.url))

const slowTest = "import { test } from 'bun:test'\ntest('slow', () => Bun.sleep(50))"

test.each([[[]], [['--parallel=2', '--no-isolate']]])(
  'default: sets the limit of every file: %p',
  async (options) => {
    using folder = createFolder()
    for (const name of ['a', 'b', 'c', 'd']) folder.write(`${name}.test.ts`, slowTest)
    const command = [process.execPath, 'test', '--timeout=1', '--preload', preload, ...options]
    const { exitCode, stderr } = await runToEnd(command, {}, folder.path)
    expect([exitCode, stderr.match(/\d+ (pass|fail)/g)]).toEqual([0, ['4 pass', '0 fail']])
  },
)
