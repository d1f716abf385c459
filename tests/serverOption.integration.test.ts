import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { runToEnd } from './support/program.ts'

const program = fileURLToPath(new URL('../src/index.ts', import.meta.url))

test.each([
  ['mcp', ['mcp']],
  ['provenance', ['provenance', 'EIA.A']],
])('error: %s does not show a wrong --server, which may hold a password', async (name, words) => {
  const command = [process.execPath, program, ...words, '--server', 'ftp://user:pa55@host/?key=pa55']
  const { exitCode, stdout, stderr } = await runToEnd(command, { EIA_API_KEY: 'k' })
  expect(exitCode).toBeGreaterThan(0)
  expect(stdout + stderr).not.toContain('pa55')
  expect(stderr).toStartWith(
    `${name}: --server must be a URL that begins with http:// or https:// (not shown, it may hold a password)`,
  )
})
