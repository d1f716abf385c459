// cspell:ignore cacheprovider doctest pytest
import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { hasPython, openPython } from './python.ts'

const CLIENT = fileURLToPath(new URL('../../clients/python/', import.meta.url))

describe.skipIf(!hasPython)('verifier in Python', () => {
  test('behavior: it passes its tests, with the vectors that both verifiers share', async () => {
    await using python = await openPython()
    const options = [
      '-q',
      '-p',
      'no:cacheprovider',
      '--import-mode=importlib',
      '-o',
      `pythonpath=${CLIENT}src`,
    ]
    const folders = [`${CLIENT}tests/verify`, `${CLIENT}src/wattfeed/verify`]
    const { exitCode, stdout, stderr } = await python.run([
      '-m',
      'pytest',
      ...options,
      '--doctest-modules',
      ...folders,
    ])
    expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' })
  })
})
