import { Command } from 'commander'
import { type RecordedNode, startRecordedNode } from './devnet/recordedNode.ts'
import { ServerStartError, startServerProcess } from './devnet/serverProcess.ts'

const description = `Starts a chain and the server on this machine, to try everything without a network.

The chain replays recorded exchanges of a real Casper 2.0.3 network. Its values are test data.`

await new Command('demo')
  .description(description)
  .option('--recorded', 'replay the recorded chain (so far the only kind)', true)
  .addHelpText(
    'after',
    '\nEnvironment:\n  PORT  where the server listens (default 4030; 0 takes a free port)',
  )
  .action(run)
  .parseAsync()

async function run(): Promise<void> {
  const stopAsked = nextStopSignal()
  const node = startRecordedNode()
  try {
    const server = await startServerProcess(settingsFor(node))
    process.stdout.write(announcement(server.url, node.url))
    process.exitCode = await Promise.race([stopAsked.then(() => 0), server.exited.then(() => 1)])
    await server.stop()
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error
    process.exitCode = error.exitCode
  } finally {
    await node.stop()
  }
}

function settingsFor(node: RecordedNode): Record<string, string> {
  return {
    HOST: process.env.HOST ?? '127.0.0.1',
    PORT: process.env.PORT ?? '4030',
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

function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
