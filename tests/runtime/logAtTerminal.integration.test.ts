import { expect, test } from 'bun:test'
import { binary } from '../support/binary.ts'
import { spawnProgram } from '../support/program.ts'
import { runAtTerminal } from '../support/pseudoTerminal.ts'

const deadNode = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', REQUEST_DEADLINE_MS: '200' }

test('default: on a terminal, `wattfeed` says what it serves, and logs lines for people', async () => {
  const { exitCode, lines } = await runAtTerminal([binary], deadNode, 'retrying on the first request')
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
  expect(exitCode).toBe(0)
  expect(lines).toEqual([
    expect.stringMatching(/^wattfeed listens on http:\/\/localhost:\d+$/),
    'It serves the network casper-test; "wattfeed demo" needs no network.',
    expect.stringMatching(
      new RegExp(
        `^${time} INFO  starting  chain_name=casper-test nodes=\\["http://127.0.0.1:1"\\] .* verify=off$`,
      ),
    ),
    expect.stringMatching(
      new RegExp(
        `^${time} WARN  warm-up failed; retrying on the first request  err=\\{"message":"no answer within 200 ms; .*","code":"deadline"\\} hint="set CASPER_RPC_URL to a node that this machine can reach; .*wattfeed demo.* needs no network"$`,
      ),
    ),
  ])
})

test('default: a command says so, too, on a terminal and without one', async () => {
  const settings = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', RPC_TIMEOUT_MS: '100' }
  const hint =
    'feeds: set CASPER_RPC_URL to a node that this machine can reach; "wattfeed demo" needs no network'
  const { lines } = await runAtTerminal([binary, 'feeds', 'list'], settings)
  expect(lines.at(-1)).toBe(hint)
  const { stderr } = await spawnProgram([binary, 'feeds', 'list'], { env: settings, cwd: '/' }).ended
  expect(stderr.trim().split('\n').at(-1)).toBe(hint)
})

test('behavior: a program that runs unattended logs lines for people, too', async () => {
  const { exitCode, lines } = await runAtTerminal([binary, 'agent', '--once'], {})
  expect(exitCode).toBe(1)
  expect(lines[0]).toMatch(
    /^\S+Z ERROR invalid setting {2}program=agent code=settings error="EIA_API_KEY is not set/,
  )
})
