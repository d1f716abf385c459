import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startDevnet } from '../../../src/devnet/rpc/startDevnet.ts'
import { wattfeed } from '../../support/binary.ts'
import { nextLook } from '../../support/nextLook.ts'
import { patientSettings } from '../../support/patience.ts'
import { createRegistryChain } from '../../support/registryChain.ts'
import { type Program, runToEnd, startProgram } from '../program.ts'

// Each starts several processes.
setDefaultTimeout(120_000)

const command = wattfeed('serve')
const deadNode = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', REQUEST_DEADLINE_MS: '200' }

const startWorkers = (settings: Record<string, string> = {}): Promise<Program> =>
  startProgram(command, { ...deadNode, WORKERS: '2', ...settings })

const settingsOf = (
  chain: Awaited<ReturnType<typeof createRegistryChain>>,
  node: { url: string },
): Record<string, string> => ({
  ...patientSettings,
  CASPER_RPC_URL: node.url,
  CASPER_CHAIN_NAME: chain.chainName,
  FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
})

const workersOf = ({ pid }: Program): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Requests on a connection of its own, so that any worker may answer. */
const get = (server: Program, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { ...init, keepalive: false })

const getRetrying = (server: Program, path: string): Promise<Response> =>
  get(server, path).catch(() => get(server, path))

const textOf = async (server: Program, path: string): Promise<string> =>
  (await getRetrying(server, path)).text()

const logOf = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const hasWorkers = (text: string, workers: number, ends: number): boolean =>
  text.includes(`wattfeed_workers ${workers}\n`) && text.includes(`wattfeed_worker_ends_total ${ends}\n`)

// One port for several processes is something that Linux has.
describe.skipIf(process.platform !== 'linux')('WORKERS', () => {
  test('default: one line when all listen; they share one port, and their metrics are summed', async () => {
    const server = await startWorkers()
    try {
      expect(server.line).toMatch(/^wattfeed listens on http:\/\/localhost:[1-9]\d*$/)
      expect(workersOf(server)).toHaveLength(2)
      const answers = await Promise.all(Array.from({ length: 60 }, () => get(server, '/health')))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
      const metrics = await Promise.all(Array.from({ length: 10 }, () => textOf(server, '/metrics')))
      for (const text of metrics)
        expect(text).toContain(
          '\nwattfeed_http_request_duration_seconds_count{endpoint="/health",method="GET",status="200"} 60\n',
        )
      const { exitCode, stdout, stderr } = await server.stop('SIGTERM')
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${server.line}\n` })
      const requests = logOf(stderr).filter(({ path }) => path === '/health')
      expect(requests).toHaveLength(60)
      expect(new Set(requests.map(({ worker }) => worker))).toEqual(new Set([1, 2]))
    } finally {
      server.kill()
    }
  })

  test('error: a port that is taken is the same line, also when the other one shares its own', async () => {
    const server = await startWorkers()
    try {
      const { port } = new URL(server.url)
      for (const WORKERS of ['1', '2'])
        expect(await runToEnd(command, { ...deadNode, WORKERS, PORT: port })).toEqual({
          exitCode: 1,
          stdout: '',
          stderr: `wattfeed: cannot listen on 127.0.0.1:${port} (EADDRINUSE): set PORT or HOST to a free address, PORT=0 takes a free port\n`,
        })
    } finally {
      server.kill()
    }
  })

  test('behavior: workers that are killed are replaced, one or all; requests go on, and none fails after a retry', async () => {
    const server = await startWorkers()
    try {
      const before = workersOf(server)
      const asked = await get(server, '/health')
      expect(asked.status).toBe(200)
      process.kill(before[0] ?? 0, 'SIGKILL')
      for (let text = ''; !hasWorkers(text, 2, 1); text = await textOf(server, '/metrics'))
        expect((await getRetrying(server, '/health')).status).toBe(200)
      const between = workersOf(server)
      expect(between.filter((pid) => before.includes(pid))).toEqual(before.slice(1))

      for (const pid of between) process.kill(pid, 'SIGKILL')
      // Nobody is there for a moment.
      for (let text = ''; !hasWorkers(text, 2, 3); await nextLook())
        text = await textOf(server, '/metrics').catch(() => '')
      expect(workersOf(server).some((pid) => between.includes(pid))).toBe(false)

      process.kill(workersOf(server)[0] ?? 0, 'SIGTERM')
      for (let text = ''; !hasWorkers(text, 2, 4); await nextLook()) text = await textOf(server, '/metrics')
      const { exitCode, stderr } = await server.stop('SIGTERM')
      const ends = logOf(stderr).flatMap(({ end }) => end ?? [])
      expect([exitCode, ends]).toEqual([0, ['SIGKILL', 'SIGKILL', 'SIGKILL', 'exit code 0']])
    } finally {
      server.kill()
    }
  })

  test('behavior: MAX_STREAMS is of all workers together, in shares', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    await using node = await startDevnet({ call: async (...request) => chain.answer(...request) })
    const server = await startWorkers({ ...settingsOf(chain, node), MAX_STREAMS: '3' })
    const leave = new AbortController()
    const openStream = async (): Promise<number> => {
      const response = await get(server, '/v1/stream', { signal: leave.signal })
      // A stream counts once it is read.
      if (response.status === 200) await response.body?.getReader().read()
      return response.status
    }
    try {
      // Where a connection goes is the system's choice: a worker whose share is held refuses what the other one takes.
      for (let open = 0; open < 3; ) if ((await openStream()) === 200) open++
      const further = await Promise.all(Array.from({ length: 20 }, openStream))
      expect(new Set(further)).toEqual(new Set([503]))
      expect(await textOf(server, '/metrics')).toContain('\nwattfeed_streams_open 3\n')
      expect((await server.stop('SIGTERM')).exitCode).toBe(0)
    } finally {
      leave.abort()
      server.kill()
    }
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'behavior: %s to all of them at once, as from a terminal, ends all in order',
    async (signal) => {
      const server = await startWorkers()
      const workers = workersOf(server)
      for (const pid of workers) process.kill(pid, signal)
      // Standard output closes when the last process that has it is gone.
      const { exitCode, stdout } = await server.stop(signal)
      expect({ exitCode, stdout, left: workers.filter(isRunning) }).toEqual({
        exitCode: 0,
        stdout: `${server.line}\n`,
        left: [],
      })
    },
  )

  test.each(['1', '2'])(
    'behavior: a second signal ends %s workers at once, whatever is in flight',
    async (WORKERS) => {
      const chain = await createRegistryChain({ feeds: 2 })
      const asked = Promise.withResolvers<void>()
      let isHanging = false
      await using node = await startDevnet({
        call: async (method, ...rest) => {
          if (!isHanging || method !== 'chain_get_state_root_hash') return chain.answer(method, ...rest)
          asked.resolve()
          return new Promise(() => {})
        },
      })
      const server = await startWorkers({ ...settingsOf(chain, node), WORKERS })
      while (server.logged().split('"warmed up"').length <= Number(WORKERS)) {
        await get(server, '/health')
        await nextLook()
      }
      isHanging = true
      const answer = get(server, '/v1/feeds').then(
        () => 'answered',
        () => 'failed',
      )
      await asked.promise
      process.kill(server.pid, 'SIGTERM')
      const isListening = (): Promise<boolean> =>
        get(server, '/health').then(
          () => true,
          () => false,
        )
      while (await isListening()) await nextLook()
      expect([(await server.stop('SIGTERM')).exitCode, await answer]).toEqual([128 + 15, 'failed'])
    },
  )

  test('behavior: the end of the first process, however sudden, is the end of its workers', async () => {
    const server = await startWorkers()
    const workers = workersOf(server)
    // Standard output closes when the last process that has it is gone.
    const { exitCode, stdout } = await server.stop('SIGKILL')
    expect({ exitCode, stdout, workers: workers.length }).toEqual({
      exitCode: 128 + 9,
      stdout: `${server.line}\n`,
      workers: 2,
    })
  })

  test('error: what keeps a worker from starting is said once; exit code 1', async () => {
    const path = `${import.meta.path}/checkpoint.json`
    const full = { VERIFY: 'full', TRUSTED_BLOCK_HASH: 'ab'.repeat(32), CHECKPOINT_FILE: path }
    const { exitCode, stdout, stderr } = await runToEnd(command, { ...deadNode, ...full, WORKERS: '2' })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    const [fault, end, ...others] = stderr.trim().split('\n')
    expect(fault).toStartWith(`wattfeed: CHECKPOINT_FILE is "${path}": it cannot be written (ENOTDIR);`)
    expect([end, others]).toEqual([
      'wattfeed: worker 1 ended before it listened (exit code 1): see what it wrote before',
      [],
    ])
  })
})
