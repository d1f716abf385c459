import { describe, expect, test } from 'bun:test'
import {
  type RunWorkersOptions,
  runWorkers,
  WorkerStartError,
} from '../../../src/server/workers/runWorkers.ts'
import type { WorkerProcess } from '../../../src/server/workers/workerProcess.ts'

/** A worker that does what the test says. */
function fakeWorker(number: number, pid: number) {
  const listening = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const signals: string[] = []
  const worker: WorkerProcess = {
    ...{ number, pid, listening: listening.promise, ended: ended.promise },
    samples: async () => [],
    kill: (signal) => void signals.push(signal),
  }
  return { worker, signals, listen: listening.resolve, end: ended.resolve }
}

type FakeWorker = ReturnType<typeof fakeWorker>

/** Runs fake workers, of which `onStart` decides what becomes. */
function runFakes(
  count: number,
  onStart: (fake: FakeWorker) => void,
  options: Partial<RunWorkersOptions> = {},
) {
  const stopping = new AbortController()
  const fakes: FakeWorker[] = []
  const waits: number[] = []
  const listening = Promise.withResolvers<void>()
  const running = runWorkers({
    count,
    start: ({ number }) => {
      const fake = fakeWorker(number, fakes.length + 1)
      fakes.push(fake)
      onStart(fake)
      return fake.worker
    },
    log: { info: () => {}, warn: () => {} },
    signal: stopping.signal,
    onListening: listening.resolve,
    wait: async (ms) => void waits.push(ms),
    now: () => 0,
    ...options,
  })
  const errorOf = running.then(
    () => null,
    (error: unknown) => error,
  )
  return { fakes, waits, stop: () => stopping.abort(), listening: listening.promise, errorOf }
}

const listen = ({ listen }: FakeWorker): void => listen()

/** Lets workers end as they are told to. */
const endOnSignal = (fakes: readonly FakeWorker[]): void => {
  for (const { signals, end } of fakes) if (signals.length > 0) end(signals.at(-1) ?? '')
}

const never = (): Promise<void> => new Promise(() => {})

describe('runWorkers', () => {
  test('default: the first starts alone, then the others; said once when all listen', async () => {
    const run = runFakes(3, () => {})
    expect(run.fakes).toHaveLength(1)
    run.fakes[0]?.listen()
    await Bun.sleep(0)
    expect(run.fakes.map(({ worker }) => worker.number)).toEqual([1, 2, 3])
    for (const each of run.fakes) each.listen()
    await run.listening
    run.stop()
    for (const { signals, end } of run.fakes) {
      expect(signals).toEqual(['SIGTERM'])
      end('exit code 0')
    }
    expect(await run.errorOf).toBeNull()
  })

  test('error: one that ends at the start ends all, with how it ended', async () => {
    const run = runFakes(2, (fake) => (fake.worker.number === 1 ? fake.listen() : fake.end('exit code 1')), {
      wait: never,
    })
    await Bun.sleep(0)
    endOnSignal(run.fakes)
    const error = await run.errorOf
    expect(error).toBeInstanceOf(WorkerStartError)
    expect(error).toMatchObject({ code: 'worker_start', worker: 2, end: 'exit code 1', attempts: 1 })
    expect(String(error)).toContain(
      'worker 2 ended before it listened (exit code 1): see what it wrote before',
    )
    expect(run.fakes).toHaveLength(2)
  })

  test('behavior: one that ends again and again is replaced later each time, by one of its number', async () => {
    const run = runFakes(1, listen)
    await run.listening
    for (let life = 0; life < 9; life++) {
      run.fakes[life]?.end('SIGKILL')
      await Bun.sleep(0)
    }
    expect(run.waits).toEqual([0, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
    expect(new Set(run.fakes.map(({ worker }) => worker.number))).toEqual(new Set([1]))
  })

  test('behavior: one that lived for a while is replaced at once', async () => {
    let time = 0
    const run = runFakes(1, listen, { now: () => time })
    await run.listening
    for (let life = 0; life < 3; life++) {
      time += 10_000
      run.fakes[life]?.end('SIGKILL')
      await Bun.sleep(0)
    }
    expect(run.waits).toEqual([0, 0, 0])
  })

  test('error: one that cannot be replaced ends all, after ten attempts', async () => {
    const run = runFakes(2, (fake) => (fake.worker.pid <= 2 ? fake.listen() : fake.end('exit code 1')))
    await run.listening
    run.fakes[0]?.end('SIGSEGV')
    // The others are told to end.
    while (run.fakes[1]?.signals.length === 0) await Bun.sleep(0)
    endOnSignal(run.fakes)
    expect(await run.errorOf).toMatchObject({ worker: 1, end: 'exit code 1', attempts: 10 })
    expect(run.fakes).toHaveLength(2 + 10)
    expect(run.waits.slice(0, 10)).toEqual([0, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000])
  })

  test('behavior: what does not end in time is killed', async () => {
    const timeIsUp = Promise.withResolvers<void>()
    const waits: number[] = []
    const wait = (ms: number) => {
      waits.push(ms)
      return timeIsUp.promise
    }
    const run = runFakes(2, listen, { wait })
    await run.listening
    run.stop()
    run.fakes[0]?.end('exit code 0')
    timeIsUp.resolve()
    while (run.fakes[1]?.signals.length !== 2) await Bun.sleep(0)
    run.fakes[1]?.end('SIGKILL')
    expect([await run.errorOf, waits, run.fakes[1]?.signals]).toEqual([null, [9_000], ['SIGTERM', 'SIGKILL']])
  })

  test('behavior: a stop while workers start, or wait to be replaced, starts no more', async () => {
    const starting = runFakes(3, () => {})
    starting.stop()
    starting.fakes[0]?.end('SIGTERM')
    expect([await starting.errorOf, starting.fakes.length]).toEqual([null, 1])

    const waiting = runFakes(1, listen, { wait: never })
    await waiting.listening
    waiting.fakes[0]?.end('SIGKILL')
    await Bun.sleep(0)
    waiting.stop()
    expect([await waiting.errorOf, waiting.fakes.length]).toEqual([null, 1])
  })
})
