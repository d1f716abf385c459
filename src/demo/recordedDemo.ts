import { typedProgram } from '../runtime/isFromSource.ts'
import { type Connection, connectionSettings, formatExports } from './connection.ts'
import type { DemoSettings } from './demoSettings.ts'
import { startServerProcess } from './programs.ts'
import { type RecordedNode, startRecordedNode } from './recordedNode.ts'

const NOTICE = 'A demo that replays a recorded node: the values are test data, not EIA statistics.'

/**
 * Runs the server on recorded exchanges until stopped, and returns the exit code.
 *
 * @throws {ServerStartError} when the server failed to start; the server has logged the reason
 */
export async function runRecordedDemo(settings: DemoSettings, stopSignal: Promise<void>): Promise<number> {
  await using node = await startRecordedNode()
  const server = await startServerProcess({
    ...connectionSettings(connectionOf(node)),
    NOTICE,
    ...settings.server,
  })
  process.stdout.write(announcement(server.url, node))
  const exitCode = await Promise.race([stopSignal.then(() => 0), server.exited.then(() => 1)])
  await server.stop()
  return exitCode
}

const connectionOf = ({ url, ...registries }: RecordedNode): Connection => ({ rpcUrls: [url], ...registries })

function announcement(url: string, node: RecordedNode): string {
  return `wattfeed is listening on ${url}

The server reads recorded exchanges of a real Casper 2.0.3 network, replayed at ${node.url}.
The values are test data, not live EIA statistics. Open the explorer in a browser:

  ${url}/

or use curl:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'

To use this chain with the other commands, such as "${typedProgram} feeds list", run in your shell:

${formatExports(connectionSettings(connectionOf(node)))
  .replace(/^/gm, '  ')
  .trimEnd()}

Press Ctrl-C to stop everything.
`
}
