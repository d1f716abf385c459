import { type RecordedNode, startRecordedNode } from '../devnet/recordedNode.ts'
import { ServerStartError, startServerProcess } from '../devnet/serverProcess.ts'

/** Serves recorded exchanges until it is stopped; resolves with the exit code. */
export async function runRecordedDemo(
  environment: Readonly<Record<string, string | undefined>>,
  stopAsked: Promise<void>,
): Promise<number> {
  const node = startRecordedNode()
  try {
    const server = await startServerProcess(settingsFor(node, environment))
    process.stdout.write(announcement(server.url, node.url))
    const exitCode = await Promise.race([stopAsked.then(() => 0), server.exited.then(() => 1)])
    await server.stop()
    return exitCode
  } catch (error) {
    if (error instanceof ServerStartError) return error.exitCode
    throw error
  } finally {
    await node.stop()
  }
}

function settingsFor(
  node: RecordedNode,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return {
    HOST: environment.HOST ?? '127.0.0.1',
    PORT: environment.PORT ?? '4030',
    LOG_LEVEL: environment.LOG_LEVEL ?? 'warn',
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: node.chainName,
    FEED_REGISTRY_PACKAGE_HASH: node.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: node.attestationRegistryPackageHash,
  }
}

function announcement(url: string, nodeUrl: string): string {
  return `wattfeed is listening on ${url}

It reads recorded exchanges of a real Casper 2.0.3 network, replayed at ${nodeUrl}.
The values are test data, not live EIA statistics. Try:

  curl ${url}/v1/feeds
  curl ${url}/v1/feeds/EIA.PET.PRICE.WTI.DAILY
  curl '${url}/v1/datasets?family=petroleum&q=price'

Ctrl-C stops everything.
`
}
