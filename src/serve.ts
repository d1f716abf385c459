import { Option } from 'commander'
import { createClient } from './client/index.ts'
import { describeSource } from './runtime/chainSettings.ts'
import { openCheckpoint } from './runtime/checkpointFile.ts'
import { createCommand } from './runtime/commanderOption.ts'
import { createLog, type Log } from './runtime/log.ts'
import { similarNames } from './runtime/misspelt.ts'
import { SettingsError } from './runtime/settings.ts'
import { createApp, warmUp } from './server/app.ts'
import { healthFault } from './server/healthCheck.ts'
import { createShutdown, holdPort, ListenError, listen } from './server/listen.ts'
import { createMetrics } from './server/metrics.ts'
import { readServerSettings, type ServerSettings, serverSettings, settingsHelp } from './server/settings.ts'
import { warnOfFileLimit } from './server/stream/fileLimit.ts'
import { createStreamHub } from './server/stream/hub.ts'
import { runWorkers, WorkerStartError } from './server/workers/runWorkers.ts'
import { joinParent } from './server/workers/worker.ts'
import { startWorkerProcess, type WorkerProcessOptions } from './server/workers/workerProcess.ts'

/** @param worker which worker of several this process is, from 1 on; null if it is alone */
async function serve(settings: ServerSettings, worker: number | null): Promise<void> {
  const { log, flush } = createLog({ level: settings.logLevel, base: worker === null ? {} : { worker } })
  const metrics = createMetrics()
  const parent = worker === null ? null : joinParent(metrics)
  const checkpoint = await openCheckpoint(settings.client.checkpoint, log)
  const client = createClient({ ...settings.client, ...checkpoint, observe: metrics.observe })
  const { deadlineMs, maxStalenessMs, concurrency } = settings.client
  const { cacheMaxAgeS, historyCacheMb, notice, streamPollMs: pollMs, maxStreams, port, host } = settings
  const freshForMs = maxStalenessMs + deadlineMs
  const streams = createStreamHub({ client, metrics, log, pollMs, maxStreams })
  const network = settings.client
  const chainOptions = { client, network, freshForMs, cacheMaxAgeS, historyCacheMb, concurrency, streams }
  const shownMetrics = parent === null ? metrics : { ...metrics, text: parent.metricsText }
  const app = createApp({ ...chainOptions, metrics: shownMetrics, log, notice })
  const listener = listen({ fetch: app.fetch, port, host, deadlineMs, reusePort: parent !== null })
  if (parent === null) logStart(settings, log)
  warnOfFileLimit(maxStreams, log)
  const shutDown = createShutdown({ listener, endStreams: streams.stop })
  const stop = async (): Promise<void> => {
    await shutDown()
    await flush()
    process.exit(0)
  }
  // A worker may be sent the same signal by its parent and by a terminal. Its parent's end is what ends it at once.
  if (parent !== null) process.on('SIGTERM', stop).on('SIGINT', stop)
  else onFirstSignal(stop)
  if (parent === null) announce(listener.port)
  else parent.announce()
  warmUp(client, log)
}

/** Logs what is served, and the variables that were perhaps meant to change it. */
function logStart({ client }: ServerSettings, log: Log): void {
  log.info(describeSource(client), 'starting')
  for (const message of similarNames(process.env, Object.values(serverSettings))) log.warn({}, message)
}

/** Calls once; a second signal ends the process at once, as by default. */
function onFirstSignal(stop: () => void): void {
  const first = (): void => {
    process.off('SIGTERM', first).off('SIGINT', first)
    stop()
  }
  process.on('SIGTERM', first).on('SIGINT', first)
}

const announce = (port: number): void => console.log(`wattfeed listens on http://localhost:${port}`)

/** Serves by several processes that share the port. */
async function serveByWorkers(settings: ServerSettings): Promise<void> {
  const { workers, maxStreams, logLevel, ...at } = settings
  const { log, append, flush } = createLog({ level: logLevel })
  const { port, close } = await holdPort(at)
  const stopping = new AbortController()
  onFirstSignal(() => stopping.abort())
  const start = (options: Pick<WorkerProcessOptions, 'number' | 'metricsText'>) => {
    const share = Math.floor(maxStreams / workers) + (options.number <= maxStreams % workers ? 1 : 0)
    const ofWorker = { WORKERS: '1', PORT: String(port), MAX_STREAMS: String(share) }
    return startWorkerProcess({ ...options, settings: ofWorker, appendLog: append })
  }
  const onListening = async () => {
    await close()
    logStart(settings, log)
    announce(port)
  }
  try {
    await runWorkers({ count: workers, start, log, signal: stopping.signal, onListening })
  } finally {
    await flush()
  }
  process.exit(0)
}

async function checkHealth(settings: ServerSettings): Promise<void> {
  const fault = await healthFault(settings)
  if (fault !== null) fail([fault])
}

function fail(lines: readonly string[]): never {
  for (const line of lines) console.error(`wattfeed: ${line}`)
  process.exit(1)
}

async function run(action: (settings: ServerSettings) => Promise<void>): Promise<void> {
  try {
    await action(readServerSettings(process.env))
  } catch (error) {
    if (error instanceof SettingsError) fail(error.faults)
    if (error instanceof ListenError || error instanceof WorkerStartError) fail([error.message])
    throw error
  }
}

/** `wattfeed serve` */
export const serveCommand = createCommand('serve')
  .description('Serves attested US energy statistics from the Casper blockchain over HTTP.')
  .addHelpText('after', settingsHelp)
  .addOption(new Option('--worker <number>').argParser(Number).hideHelp())
  .action(({ worker = null }: { worker?: number | null }) =>
    run((settings) =>
      worker === null && settings.workers > 1 ? serveByWorkers(settings) : serve(settings, worker),
    ),
  )

/** `wattfeed health` */
export const healthCommand = createCommand('health')
  .description('Asks the server on PORT of this machine whether it is healthy. Exit code 0 or 1.')
  .action(() => run(checkHealth))
