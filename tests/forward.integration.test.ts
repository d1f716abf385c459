import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRandom } from '@wattfeed/testing/random'
import { secrets, withSecrets } from '@wattfeed/testing/secrets'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import {
  createForwardFolder,
  nameOf,
  namesOf,
  secret,
  startReceiver,
  startStreamServer,
  until,
} from './forward/forwardWorld.ts'
import { hasNats, startNats } from './forward/natsServer.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

const program = wattfeed('forward')

const settingsOf = (folder: string, others: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  FORWARD_SECRET: secret,
  FORWARD_STATE_DIR: folder,
  ...others,
})

/** A forwarder in a separate process. */
function spawnForward(args: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([...program, ...args], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return {
    async end(signal: NodeJS.Signals) {
      child.kill(signal)
      const [stdout, stderr] = await texts
      return { exitCode: await child.exited, stdout, stderr }
    },
  }
}

const linesOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const feeds = [testFeedId(0), testFeedId(1)]

const allNames = (attestations: number): string[] => [
  ...feeds.map((id, index) => `f${index} ${id}`),
  ...Array.from({ length: 2 + attestations }, (_, index) => `a${index} ${testFeedId(index % 2)}`),
]

async function attest(chain: RegistryChain, count: number): Promise<void> {
  for (let index = 0; index < count; index++) chain.attest(testFeedId(index % 2), { amount: BigInt(index) })
  await chain.advance()
}

const KILLS = 4
const PER_ROUND = 6
const ALL = (KILLS + 1) * PER_ROUND

/**
 * Attests and kills at random, at some point after this number of further arrivals. At the end it attests once more, for a
 * forwarder that is not killed.
 */
async function killAtRandom(
  chain: RegistryChain,
  start: () => ReturnType<typeof spawnForward>,
  arrived: () => number,
) {
  const random = createRandom(KILLS)
  for (let round = 0; round < KILLS; round++) {
    await attest(chain, PER_ROUND)
    const wanted = arrived() + 1 + Math.floor(random() * PER_ROUND)
    const forward = start()
    await until(() => arrived() >= wanted)
    await forward.end('SIGKILL')
  }
  await attest(chain, PER_ROUND)
}

describe('wattfeed forward', () => {
  test('behavior: killed at random, a webhook gets every event, in order, and few of them twice', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await using server = startStreamServer(chain)
    // A rejection in between, because a dead letter counts, too.
    await using receiver = startReceiver(
      ({ body }) => new Response(null, { status: body.data.log_index % 5 === 4 ? 400 : 200 }),
    )
    using folder = createForwardFolder()
    const env = settingsOf(folder.path)
    const start = () => spawnForward(['--from', server.url, '--to', receiver.url, '--from-start'], env)
    await killAtRandom(chain, start, () => new Set(receiver.all.map(({ id }) => id)).size)
    const last = start()
    await until(() => folder.position().endsWith(`.a${2 + ALL}`))
    expect((await last.end('SIGTERM')).exitCode).toBe(0)
    expect(namesOf(receiver.all)).toEqual(allNames(ALL))
    expect(receiver.all.length).toBeLessThanOrEqual(4 + ALL + KILLS)
    receiver.answerWith(() => new Response())
    const { exitCode } = await runToEnd([...program, '--replay', '--to', receiver.url], env)
    expect([exitCode, namesOf(receiver.accepted).toSorted()]).toEqual([0, allNames(ALL).toSorted()])
  })

  test.skipIf(!hasNats)(
    'behavior: killed at random, without its folder, JetStream has every event once',
    async () => {
      const chain = await createRegistryChain({ feeds: 2 })
      await using server = startStreamServer(chain)
      await using nats = await startNats()
      await nats.makeStream({ name: 'wattfeed', subjects: ['wattfeed.>'], duplicate_window: 100_000_000 })
      using folder = createForwardFolder()
      let run = 0
      const seen = { count: 0, isAsking: false }
      const arrived = () => {
        if (!seen.isAsking) {
          seen.isAsking = true
          nats
            .ask(({ streams }) => streams.info('wattfeed'))
            .then(({ state }) => Object.assign(seen, { count: state.messages, isAsking: false }))
        }
        return seen.count
      }
      const start = () => {
        const env = settingsOf(join(folder.path, String(run++)), { FORWARD_TO: nats.url() })
        return spawnForward(['--from', server.url, '--from-start'], env)
      }
      await killAtRandom(chain, start, arrived)
      const last = start()
      await until(() => arrived() === 4 + ALL)
      expect((await last.end('SIGTERM')).exitCode).toBe(0)
      await until(() => !seen.isAsking)
      expect((await nats.stored()).map(({ body }) => nameOf(body))).toEqual(allNames(ALL))
    },
  )

  test('default: a line for each event with --json, a log, and exit code 0 on SIGTERM; a second is rejected', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await using server = startStreamServer(chain)
    await using receiver = startReceiver(
      ({ body }) => new Response(null, { status: body.data.log_index === 1 ? 404 : 200 }),
    )
    using folder = createForwardFolder()
    const args = [
      '--from',
      server.url,
      '--to',
      receiver.url,
      '--from-start',
      '--json',
      '--feed',
      feeds[1] ?? '',
    ]
    const forward = spawnForward(args, settingsOf(folder.path))
    await until(() => receiver.all.length === 2)
    const second = await runToEnd([...program, ...args], settingsOf(folder.path))
    expect([second.exitCode, linesOf(second.stdout)]).toEqual([
      1,
      [{ command: 'forward', error: { code: 'locked', message: expect.any(String), retryable: true } }],
    ])
    await until(() => folder.position().endsWith('.f2.a2'))
    const { exitCode, stdout, stderr } = await forward.end('SIGTERM')
    const common = { feed_id: feeds[1], attempts: 1 }
    const error = { code: 'delivery', message: 'the message was not delivered: HTTP 404', retryable: false }
    expect([exitCode, linesOf(stdout)]).toEqual([
      0,
      receiver.all.map(({ body: { id, type, position } }) => ({
        outcome: 'dead_letter',
        ...{ id, type, position, ...common, error },
      })),
    ])
    expect(linesOf(stderr).map(({ msg }) => msg)).toEqual([
      'starting',
      'starting at a new position',
      ...Array(2).fill('message became a dead letter'),
      'stopped',
    ])
    const again = (status: number) => {
      receiver.answerWith(({ body }) => new Response(null, { status: body.type === 'feed' ? 200 : status }))
      return runToEnd([...program, '--replay', '--to', receiver.url, '--json'], settingsOf(folder.path))
    }
    const failed = await again(400)
    expect([failed.exitCode, linesOf(failed.stdout).at(-1)]).toEqual([
      2,
      { command: 'forward', delivered: 1, kept: 1 },
    ])
    const done = await again(200)
    expect([done.exitCode, linesOf(done.stdout).at(-1)]).toEqual([
      0,
      { command: 'forward', delivered: 1, kept: 0 },
    ])
  })

  test('behavior: only the host of the target and of the server is printed or stored', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await using server = startStreamServer(chain)
    await using receiver = startReceiver()
    const [from, to] = [server.url, receiver.url].map((url) => withSecrets(url.replace(/(\/hook)?$/, '/rpc')))
    using folder = createForwardFolder()
    const texts: string[] = []
    for (const status of [200, 301, 400, 410]) {
      const env = settingsOf(join(folder.path, String(status)), {
        FORWARD_TO: to ?? '',
        FORWARD_ATTEMPTS: '2',
      })
      const at = receiver.all.length
      receiver.answerWith(() => new Response(null, { status, headers: { location: to ?? '' } }))
      const forward = spawnForward(['--from', server.url, '--from-start', '--json'], env)
      await until(() => receiver.all.length >= at + (status === 410 ? 1 : 4))
      texts.push(...Object.values(await forward.end('SIGTERM')).map(String))
    }
    for (const args of [
      ['--from', from ?? '', '--to', to ?? '', '--json'],
      ['--from', 'http://127.0.0.1:1', '--to', (to ?? '').replace('127.0.0.1', '10.0.0.1')],
      ['--from', (from ?? '').replace('http:', 'ftp:'), '--to', to ?? ''],
    ]) {
      const { exitCode, stdout, stderr } = await runToEnd([...program, ...args], settingsOf(folder.path))
      expect(exitCode).toBe(1)
      texts.push(stdout, stderr)
    }
    // The library that parses arguments quotes unknown ones.
    const command = program.slice(0, -1)
    const source = fileURLToPath(new URL('../src/forward.ts', import.meta.url))
    for (const words of [
      [...program, `--too=${to}`],
      [process.execPath, source, `--too=${to}`],
      [...program, `--secret=${secret}`],
      [...program, to ?? ''],
      [...command, 'health', to ?? ''],
      [...command, `--to=${to}`],
      [...command, to ?? ''],
    ]) {
      const { exitCode, stderr } = await runToEnd(words, settingsOf(folder.path))
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: .*…['.]*\n/)])
      texts.push(stderr)
    }
    const kept = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    const all = [...texts, ...kept].join('\n')
    expect(all).toContain(new URL(receiver.url).host)
    expect(all).toContain('redirects are not followed')
    for (const each of [secrets, secret, secret.slice('whsec_'.length)]) expect(all).not.toMatch(each)
  })
})
