import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { agentCommand } from '../src/agent.ts'
import { committeeCommand } from '../src/committee.ts'
import { contractsCommand } from '../src/contracts.ts'
import { datasetsCommand } from '../src/datasets.ts'
import { demoCommand } from '../src/demo.ts'
import { devnetCommand } from '../src/devnet.ts'
import { doctorCommand } from '../src/doctor.ts'
import { eligibilityCommand } from '../src/eligibility.ts'
import { exportCommand } from '../src/export.ts'
import { feedsCommand } from '../src/feeds.ts'
import { forwardCommand } from '../src/forward.ts'
import { mcpCommand } from '../src/mcp.ts'
import { provenanceCommand } from '../src/provenance.ts'
import { seriesCommand } from '../src/series.ts'
import { verifyCommand } from '../src/verify.ts'

// tests/index.integration.test.ts and tests/binary.integration.test.ts show that the programs are these commands.
const commands = [
  agentCommand,
  committeeCommand,
  contractsCommand,
  datasetsCommand,
  demoCommand,
  devnetCommand,
  doctorCommand,
  eligibilityCommand,
  exportCommand,
  feedsCommand,
  forwardCommand,
  mcpCommand,
  provenanceCommand,
  seriesCommand,
  verifyCommand,
].map((command) => [command.name(), command] as const)

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}

describe('help', () => {
  test.each([
    ['feeds', feedsCommand, 11],
    ['contracts', contractsCommand, 4],
    ['datasets', datasetsCommand, 4],
    ['series', seriesCommand, 6],
  ] as const)('default: %s has exit codes, and each of its commands an example', (_, program, count) => {
    expect(helpOf(program)).toContain('Exit codes:')
    expect(program.commands.map((command) => [command.name(), helpOf(command)])).toEqual(
      program.commands.map((command) => [command.name(), expect.stringMatching(/Examples?:/)]),
    )
    expect(program.commands).toHaveLength(count)
  })

  test.each([
    [exportCommand, ['CASPER_RPC_URL', 'TRUSTED_BLOCK_HASH', 'Exit codes:']],
    [
      verifyCommand,
      ['--trust', '--max-age', '--json', 'Exit code: 0 proven, 1 refuted, 2 unreadable', 'Examples:'],
    ],
  ])('default: names settings, options and exit codes', (command, words) => {
    for (const word of words) expect(helpOf(command)).toContain(word)
  })

  test.each(commands)(
    'default: %s has no path of this machine, and the version of the package',
    (_, command) => {
      const text = [command, ...command.commands].map(helpOf).join('\n')
      expect(text).not.toContain(fileURLToPath(new URL('..', import.meta.url)))
      expect(command.version()).toBe(manifest.version)
    },
  )
})

/** Runs arguments that a command rejects, and returns the exit code and what it prints. */
async function reject(command: Command, args: readonly string[]) {
  let [stdout, stderr] = ['', '']
  for (const each of [command, ...command.commands])
    each
      .exitOverride()
      .configureOutput({ writeOut: (part) => (stdout += part), writeErr: (part) => (stderr += part) })
  const outcome: unknown = await command.parseAsync([...args], { from: 'user' }).catch((error) => error)
  return { exitCode: Object(outcome).exitCode, stdout, stderr }
}

/** What a command requires before it looks at its options. */
const required: Readonly<Record<string, readonly string[]>> = {
  export: ['--out=x'],
  provenance: ['A.FEED'],
  verify: ['proof.json', `--trust=${'ab'.repeat(32)}`],
}

test.each(commands)(
  'error: %s that gets an option which it does not know repeats no value of it',
  async (name, command) => {
    const { exitCode, stderr } = await reject(command, [...(required[name] ?? []), '--too=http://a:s3cret@b'])
    expect([exitCode > 0, stderr]).toEqual([true, expect.stringMatching(/^error: .*--too=…/)])
    expect(stderr).not.toContain('s3cret')
  },
)

const dataset = ['--frequency', 'daily', '--files', 'x'] as const
const named = [...dataset, '--column', 'value'] as const
const board = 'ab'.repeat(32)

test.each([
  ['feeds', ['lst']],
  ['feeds', ['register']],
  ['feeds', ['register', 'EIA.X', '--all']],
  ['feeds', ['history']],
  ['feeds', ['history', 'EIA.X', '--last', '0']],
  ['feeds', ['new', '--facet', 'series']],
  ['feeds', ['new', '--facet', 'series=A', '--facet', 'series=B']],
  ['feeds', ['datasets', '--limit', '0']],
  ['feeds', ['facets']],
  ['feeds', ['costs', 'EIA.X']],
  ['datasets', ['snapshot', 'petroleum/pri/spt']],
  ['datasets', ['snapshot', 'petroleum/pri/spt', '--frequency', 'daily', '--periods', '0']],
  ['datasets', ['snapshot', 'petroleum/pri/spt', '--frequency', 'daily', '--keep', '0']],
  ['datasets', ['check']],
  ['datasets', ['compare', 'a']],
  ['datasets', ['compare', 'a', 'b', '--limit', '-1']],
  ['datasets', ['restore']],
  ['datasets', ['restore', 'AB']],
  ['series', ['value']],
  ['series', ['value', 'a/b', '--frequency', 'daily', '--files', 'x']],
  ['series', ['history', 'a/b', '--frequency', 'daily', '--column', 'value']],
  ['series', ['history', 'a/b', ...named, '--last', '0']],
  ['series', ['history', 'a/b', ...named, '--as-of', 'yesterday']],
  ['series', ['history', 'a/b', ...named, '--csv', '--json']],
  ['series', ['revisions', 'a/b', ...named]],
  ['series', ['revisions', 'a/b', ...named, '--period', '2026-11-20', '--last', '0']],
  ['series', ['arguments']],
  ['series', ['arguments', 'price.json', '--statement', 'newest']],
  ['series', ['arguments', 'price.json', '--other-bytes', '-1']],
  ['series', ['arguments', 'price.json', '--payment', 'much']],
  ['series', ['table', 'a/b', '--frequency', 'daily']],
  ['series', ['table', 'a/b', ...dataset, '--limit', '0']],
  ['series', ['table', 'a/b', ...dataset, '--facet', 'state']],
  ['series', ['table', 'a/b', ...dataset, '--csv', '--parquet', 'x']],
  ['series', ['put', 'price.json', '--decimals', '2']],
  ['series', ['put', 'price.json', '--board', board]],
  ['series', ['put', 'price.json', '--board', 'mine', '--decimals', '2']],
  ['series', ['put', 'price.json', '--board', board, '--decimals', '19']],
  ['series', ['put', 'price.json', '--board', board, '--decimals', '2', '--statement', 'newest_period']],
  ['contracts', ['install', '--payment', 'OpenGate=1']],
  ['contracts', ['install', '--payment', 'FeedRegistry=much']],
  ['contracts', ['upgrade', '--only', 'OpenGate']],
  ['contracts', ['instal']],
] as const)('error: %s %p', async (name, args) => {
  const programs = {
    feeds: feedsCommand,
    datasets: datasetsCommand,
    series: seriesCommand,
    contracts: contractsCommand,
  }
  expect(await reject(programs[name], args)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: /),
  })
})

test.each([
  [['--port', '70000'], 'a whole number from 0 to 65535'],
  [['--accounts', '0'], 'a whole number from 1 to 1000'],
  [['--block-time', 'soon'], 'a whole number from 1 to 3600000'],
  [['--fund', 'nobody'], 'a public key in hex'],
  [['--chain-name', 'a b'], 'a chain name'],
  [['--data', import.meta.path], 'a directory, or a path that does not exist yet'],
  [['--data', `${import.meta.path}/data`], 'a directory, or a path that does not exist yet'],
  [['--data', ''], 'a directory, or a path that does not exist yet'],
  [['--keys', import.meta.path], 'a directory, or a path that does not exist yet'],
  [['--live'], "unknown option '--live'"],
])('error: devnet %p', async (args, rule) => {
  const { exitCode, stderr } = await reject(devnetCommand, args)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(rule)])
})
