import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { createFolder, type Folder } from '../src/folder.ts'

const preload = fileURLToPath(new URL('../src/preload.ts', import.meta.url))

/** Runs `bun test` in a folder. */
const runTests = ({ path }: Folder, ...options: string[]) => {
  const command = [process.execPath, 'test', '--preload', preload, ...options]
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: path, stdout: 'ignore', stderr: 'pipe' })
  return { exitCode, stderr: stderr.toString() }
}

const slowTest = "import { test } from 'bun:test'\ntest('slow', () => Bun.sleep(50))"

test.each([[[]], [['--parallel=2', '--no-isolate']]])(
  'default: sets the limit of every file: %p',
  (options) => {
    using folder = createFolder()
    for (const name of ['a', 'b', 'c', 'd']) folder.write(`${name}.test.ts`, slowTest)
    const { exitCode, stderr } = runTests(folder, '--timeout=1', ...options)
    expect([exitCode, stderr.match(/\d+ (pass|fail)/g)]).toEqual([0, ['4 pass', '0 fail']])
  },
)

test('error: a unit test that opens a socket, starts a process or a worker; others may', () => {
  using folder = createFolder()
  const socketTest = `import { test } from 'bun:test'
test('serve', () => void Bun.serve({ port: 0, fetch: () => new Response() }).stop())
test('fetch', () => void fetch('http://127.0.0.1:1').catch(() => {}))
test('spawn', () => void Bun.spawnSync(['true']))
test('shell', async () => void (await Bun.$\`true\`.quiet()))
test('socket', () => new WebSocket('ws://127.0.0.1:1').close())
test('worker', () => new Worker('data:text/javascript,').terminate())
`
  folder.write('a.integration.test.ts', socketTest)
  folder.write('b.test.ts', socketTest)
  folder.write('c.soak.test.ts', socketTest)
  const { exitCode, stderr } = runTests(folder)
  expect([exitCode, stderr.match(/\d+ (pass|fail)/g)]).toEqual([1, ['12 pass', '6 fail']])
  expect(stderr).toContain('Bun.serve is not for a unit test: move the test to b.integration.test.ts')
})
