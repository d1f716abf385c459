import type { DemoSettings } from './demoSettings.ts'
import { startServerProcess } from './programs.ts'
import { type RecordedNode, startRecordedNode } from './recordedNode.ts'

const NOTICE = 'A demo that replays a recorded node: its values are test data, not EIA statistics.'

/**
 * Serves recorded exchanges until stopped, and returns the exit code.
 *
 * @throws {ServerStartError} when the server has logged why it did not start
 */
export async function runRecordedDemo(settings: DemoSettings, stopAsked: Promise<void>): Promise<number> {
  await using node = await startRecordedNode()
  const server = await startServerProcess({ ...chainSettings(node), NOTICE, ...settings.server })
  process.stdout.write(announcement(server.url, node.url))
  const exitCode = await Promise.race([stopAsked.then(() => 0), server.exited.then(() => 1)])
  await server.stop()
  return exitCode
}

const chainSettings = (node: RecordedNode): Record<string, string> => ({
  CASPER_RPC_URL: node.url,
  CASPER_CHAIN_NAME: node.chainName,
  FEED_REGISTRY_PACKAGE_HASH: node.feedRegistryPackageHash,
  ATTESTATION_REGISTRY_PACKAGE_HASH: node.attestationRegistryPackageHash,
})

function announcement(url: string, nodeUrl: string): string {
  return `wattfeed is listening on ${url}

It reads recorded exchanges of a real Casper 2.0.3 network, replayed at ${nodeUrl}.
The values are test data, not live EIA statistics. Look at them in a browser:

  ${url}/

or ask for them:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'

Ctrl-C stops everything.
`
}
