import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { readingOf } from '../fakeClient.ts'
import { createTestApp } from '../testApp.ts'
import { isThere, runOther } from './otherTools.ts'

let server: ReturnType<typeof Bun.serve>
let folder: Folder
const url = () => `http://localhost:${server.port}/mcp`

beforeAll(() => {
  server = Bun.serve({ port: 0, fetch: createTestApp().fetch })
  folder = createFolder()
})
afterAll(async () => {
  await server.stop(true)
  folder[Symbol.dispose]()
})

interface Check {
  scenario: string
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

/** Reads the results that the suite wrote, without those of extensions, which this server has none of. */
function readChecks(path: string): Check[] {
  return readdirSync(path)
    .filter((name) => !name.startsWith('server-tasks-'))
    .flatMap((name) => {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      const checks: Omit<Check, 'scenario'>[] = JSON.parse(
        readFileSync(join(path, name, 'checks.json'), 'utf8'),
      )
      return checks.map((check) => ({ ...check, scenario }))
    })
}

/** The suite expects a server with its own test tools, test resources, prompts and completion. */
const NEEDS_ITS_SERVER = [
  /^Not testable: /,
  /Tool '?(test_\w+|json_schema_2020_12_tool)'? not found/,
  /Resource not found: test:\/\//,
  /Method not found$/,
]

/** Checks that build on a test tool without naming it. */
const NEED_TEST_TOOLS = ['sep-2322-multi-round-r1', 'sep-2322-reject-tampered-state']

describe.skipIf(!isThere)('the conformance suite for 2026-07-28', () => {
  test('default: it only fails where it needs its own test server', async () => {
    const output = join(folder.path, 'results')
    const args = ['server', '--url', url(), '--requirements', '2026-07-28', '-o', output]
    const { stdout } = await runOther('conformance', args, folder.path)
    expect(stdout).toContain('=== SUMMARY ===')
    const checks = readChecks(output)
    const failed = checks.filter(({ status }) => status === 'FAILURE')
    const unexplained = failed.filter(
      ({ id, errorMessage = '' }) =>
        !NEED_TEST_TOOLS.includes(id) && !NEEDS_ITS_SERVER.some((reason) => reason.test(errorMessage)),
    )
    expect(unexplained).toEqual([])
    const passed = [...new Set(checks.map(({ scenario }) => scenario))].filter(
      (scenario) =>
        checks.some((check) => check.scenario === scenario && check.id !== 'wire-schema-valid') &&
        !failed.some((check) => check.scenario === scenario),
    )
    expect(passed.filter((scenario) => !scenario.startsWith('input-required')).sort()).toEqual([
      'dns-rebinding-protection',
      'http-header-validation',
      'resources-list',
      'sep-2164-resource-not-found',
      'server-sse-multiple-streams',
      'tools-list',
    ])
    const stateless = checks.filter(({ scenario }) => scenario === 'server-stateless')
    expect(stateless.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(24)
  })
})

describe.skipIf(!isThere)('the Inspector', () => {
  const inspect = async (...args: string[]) => {
    const all = ['--cli', url(), '--transport', 'http', ...args]
    const { exitCode, stdout, stderr } = await runOther('inspector', all, folder.path)
    return { exitCode, answer: stdout === '' ? stderr : JSON.parse(stdout) }
  }

  test('default: it lists the tools', async () => {
    const { exitCode, answer } = await inspect('--method', 'tools/list')
    expect([exitCode, answer.tools.length]).toEqual([0, 6])
  })

  test('default: it calls a tool', async () => {
    const { feed_id } = readingOf()
    const call = ['--tool-name', 'get_readings', '--tool-arg', `feeds=["${feed_id}"]`]
    const { exitCode, answer } = await inspect('--method', 'tools/call', ...call)
    expect([exitCode, answer.structuredContent.readings[0].value]).toEqual([0, '3.04938'])
  })

  test('default: it reads a resource', async () => {
    const uri = `wattfeed://feeds/${readingOf().feed_id}`
    const { exitCode, answer } = await inspect('--method', 'resources/read', '--uri', uri)
    expect([exitCode, answer.contents[0].mimeType]).toEqual([0, 'text/markdown'])
  })
})
