import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import cli from '../packages/cli/package.json' with { type: 'json' }
import library from '../packages/wattfeed/package.json' with { type: 'json' }
import { readWorkflow, workflowTexts } from './support/workflows.ts'

const root = join(import.meta.dir, '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, group = '']) => group)

describe.each([...workflowTexts])('%s', (name, text) => {
  const { permissions, concurrency, jobs } = readWorkflow(name)
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])
  const commands = steps.map(({ run = '' }) => run).join('\n')

  test('behavior: every command that it runs exists', () => {
    const scripts = found(commands, /bun@[\d.]+ run ([\w:-]+)/g)
    expect(scripts.filter((script) => !Object.keys(manifest.scripts).includes(script))).toEqual([])
    const files = found(commands, /(?:^|\s)(\.ci\/\w+|scripts\/[\w./]+)/g)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(scripts.length + files.length).toBeGreaterThan(0)
  })

  test('behavior: it runs the Bun that the types and the tests are of', () => {
    const versions = found(text, /bun@([\d.]+)/g)
    expect(versions.filter((version) => version !== manifest.devDependencies['bun-types'])).toEqual([])
  })

  test('behavior: actions are pinned to a commit, with their version', () => {
    const uses = found(text, /uses: (.*)/g)
    const pinned = /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(uses.filter((each) => !pinned.test(each) && !each.startsWith('./'))).toEqual([])
    for (const own of uses.filter((each) => each.startsWith('./')))
      expect(existsSync(join(root, own))).toBe(true)
  })

  test('behavior: the same action has the same version everywhere', () => {
    const all = new Set([...workflowTexts.values()].flatMap((each) => found(each, /uses: (actions\/.*)/g)))
    const actions = [...all].map((each) => each.split('@')[0])
    expect(actions).toEqual([...new Set(actions)])
  })

  test('behavior: it holds no secret, and a job may only read unless it says so', () => {
    expect(text).not.toMatch(/\bsecrets\b/)
    expect(permissions).toEqual({ contents: 'read' })
  })

  test('behavior: each job ends, and one run at a time has a ref', () => {
    for (const job of Object.values(jobs))
      expect(job.uses ?? job['timeout-minutes']).toEqual(expect.anything())
    expect(concurrency.group).not.toBe('')
  })
})

describe('ci.yml', () => {
  const { on, jobs } = readWorkflow('ci.yml')

  test('default: runs .ci/run for main, for pull requests and before a release', () => {
    expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null, workflow_call: null })
    expect(jobs.check?.steps?.at(-1)?.run).toBe('.ci/run')
  })

  test('behavior: its image has the cargo that built the contracts', () => {
    const [cargo] = found(read('contracts/wasm/TOOLCHAIN'), /^cargo (\S+) /gm)
    expect(jobs.check?.container?.image).toBe(`rust:${cargo}-bookworm`)
  })
})

describe('release.yml', () => {
  const { on, jobs } = readWorkflow('release.yml')
  const text = workflowTexts.get('release.yml') ?? ''

  test('default: a tag is checked, then built, then published', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['check', undefined],
      ['build', 'check'],
      ['npm', 'build'],
      ['image', 'build'],
      ['announce', ['npm', 'image']],
    ])
    expect(jobs.check?.uses).toBe('./.github/workflows/ci.yml')
  })

  test('behavior: each job may write only what it publishes', () => {
    expect(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions])).toEqual([
      ['check', undefined],
      ['build', undefined],
      ['npm', { 'id-token': 'write' }],
      ['image', { contents: 'read', packages: 'write' }],
      ['announce', { contents: 'write' }],
    ])
  })

  test('behavior: it publishes the packages that a release builds, where a release writes them', () => {
    const [names = ''] = found(text, /for name in (.*); do/g)
    expect(names.split(' ')).toEqual([library.name, cli.name])
    expect(read('scripts/release.ts')).toContain("const out = 'dist/release'\n")
    expect(new Set(found(text, /(dist\/\w+)/g))).toEqual(new Set(['dist/release']))
  })

  // npm compares it with the repository that the provenance names.
  test('behavior: the packages that it publishes name their repository', () => {
    expect(library.repository).toEqual({
      type: 'git',
      url: expect.stringMatching(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/),
      directory: 'packages/wattfeed',
    })
    expect(cli.repository).toEqual({ ...library.repository, directory: 'packages/cli' })
  })
})

test('docs.yml > behavior: publishes the folder that docs:site writes', () => {
  const [folder = ''] = found(workflowTexts.get('docs.yml') ?? '', /^ +path: (.*)$/gm)
  expect(read('scripts/writeDocsSite.ts')).toContain(`'the folder to write', '${folder}')`)
})

describe('.ci/run', () => {
  test('behavior: installs every folder of tools, so that no test is skipped', () => {
    const folders = readdirSync(join(root, 'scripts'))
      .map((name) => `scripts/${name}`)
      .filter((name) => existsSync(join(root, name, 'package.json')))
    expect(folders.length).toBeGreaterThan(0)
    const [installed = ''] = found(read('.ci/run'), /for folder in (.*); do/g)
    expect(folders.filter((name) => !installed.split(' ').includes(name))).toEqual([])
  })
})
