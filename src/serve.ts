import { setImmediate } from 'node:timers/promises'
import { createClient } from 'wattfeed'
import { assertCheckpointFile } from './runtime/checkpointFile.ts'
import { createCommand } from './runtime/createCommand.ts'
import { createLog } from './runtime/log.ts'
import { demoHint } from './runtime/nodeHint.ts'
import { ListenError } from './runtime/serveHttp.ts'
import { describeSource } from './runtime/settings/chainSettings.ts'
import { parseSettings, SettingsError } from './runtime/settings/settings.ts'
import { endWithParent, onStopSignal } from './runtime/stopSignal.ts'
import { createApp } from './server/app.ts'
import { healthFault, healthHelp, healthSettings } from './server/healthCheck.ts'
import { listen } from './server/listen.ts'
import { createMetrics } from './server/metrics.ts'
import { placeOf } from './server/readers/snapshots.ts'
import { warmUp } from './server/server.ts'
import { requestOptions, serverSettings, settingsHelp } from './server/settings.ts'
import { createShutdown } from './server/shutdown.ts'
import { warnOfFileLimit } from './server/stream/fileLimit.ts'
import { createStreamHub } from './server/stream/hub.ts'

async function serve(): Promise<void> {
  endWithParent()
  const settings = parseSettings(serverSettings, process.env)
  const { log, flush } = createLog({ level: settings.logLevel })
  const metrics = createMetrics()
  await assertCheckpointFile(settings.checkpointFile)
  const network = requestOptions(settings, log)
  const client = createClient({ ...network, observe: { ...network.observe, ...metrics.observe } })
  const { deadlineMs, maxStalenessMs, concurrency } = network
  const { port, host, idleTimeoutS, streamPollMs: pollMs, maxStreams } = settings
  const { cacheMaxAgeS, historyCacheMb, notice, publicUrl } = settings
  const streams = createStreamHub({ client, metrics, log, pollMs, maxStreams })
  const freshForMs = maxStalenessMs + deadlineMs
  const app = createApp({
    cacheMaxAgeS,
    historyCacheMb,
    notice,
    publicUrl,
    mcp: { allowedHosts: settings.mcpAllowedHosts, allowedOrigins: settings.mcpAllowedOrigins },
    datasets: (settings.datasets ?? []).map(placeOf),
    client,
    network,
    metrics,
    log,
    streams,
    freshForMs,
    concurrency,
  })
  const listener = listen({ fetch: app.fetch, port, host, deadlineMs, idleTimeoutS })
  log.info(describeSource(settings), 'starting')
  warnOfFileLimit(maxStreams, log)
  const shutDown = createShutdown(listener, streams.stop)
  onStopSignal(async () => {
    await shutDown()
    // Elysia logs a request after it has sent the response.
    await setImmediate()
    await flush()
    process.exit(0)
  })
  console.log(`wattfeed listens on http://localhost:${listener.port}`)
  console.log(`It serves the network ${settings.casperChainName}; ${demoHint}.`)
  warmUp(client, log)
}

async function checkHealth(): Promise<void> {
  const { port, host } = parseSettings(healthSettings, process.env)
  const fault = await healthFault({ port, host })
  if (fault !== null) fail([fault])
}

function fail(lines: readonly string[]): never {
  for (const line of lines) console.error(`wattfeed: ${line}`)
  process.exit(1)
}

async function run(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof SettingsError) fail(error.faults)
    if (error instanceof ListenError) fail([error.message])
    throw error
  }
}

export const serveCommand = createCommand('serve')
  .description('Serves attested US energy statistics from the Casper blockchain over HTTP.')
  .addHelpText('after', settingsHelp)
  .action(() => run(serve))

export const healthCommand = createCommand('health')
  .description(
    'Checks that the server on PORT of this machine is healthy. Exits with 0 if it is, else with 1.',
  )
  .addHelpText('after', healthHelp)
  .action(() => run(checkHealth))
