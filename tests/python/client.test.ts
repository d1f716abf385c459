// cspell:ignore conftest doctest pytest
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { startDemo } from '../demo/demoProcess.ts'
import { executablePath, hasPython, openPython } from './python.ts'

const CLIENT = fileURLToPath(new URL('../../clients/python', import.meta.url))

describe.skipIf(!hasPython)('client for Python', () => {
  test.each([
    ['has the form that ruff demands', 'ruff check --no-cache . && $BIN/ruff format --no-cache --check .'],
    ['has the types that mypy demands', 'mypy --cache-dir "$HOME/mypy" conftest.py src tests'],
    [
      'passes its tests, with the vectors that both verifiers share',
      'python -m pytest -q -o pythonpath=src tests',
    ],
  ])('default: it %s', async (_, command) => {
    expect(await run(command)).toBe('')
  })

  test('default: the examples of its documentation work with the demo, and both clients read the same', async () => {
    await using demo = startDemo()
    const [url] = /http:\/\/localhost:\d+/.exec(await demo.announcement) ?? []
    expect(await run('python -m pytest -q -o pythonpath=src --doctest-modules src tests/server', url)).toBe('')
  })
})

/** Runs a program of Python in the client's folder. Returns its output if it fails. */
async function run(command: string, url = ''): Promise<string> {
  await using python = await openPython()
  const { exitCode, stdout, stderr } = await python.shell(
    `cd "${CLIENT}"; BIN="$(dirname "${executablePath}")"; export WATTFEED_URL="${url}"; $BIN/${command}`,
  )
  return exitCode === 0 ? '' : stdout + stderr
}
