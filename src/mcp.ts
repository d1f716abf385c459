import { createClient } from 'wattfeed'
import { assertCheckpointFile } from './runtime/checkpointFile.ts'
import { createCommand } from './runtime/createCommand.ts'
import { createLog } from './runtime/log.ts'
import { describeSource } from './runtime/settings/chainSettings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { parseSecretOption } from './runtime/settings/option.ts'
import { parseSettings, SettingsError } from './runtime/settings/settings.ts'
import { httpUrl } from './runtime/settings/textTypes.ts'
import { onStopSignal } from './runtime/stopSignal.ts'
import { serveOnStdio } from './server/mcp/serveOnStdio.ts'
import { seriesReaderOf } from './server/readers/seriesReader.ts'
import { placeOf } from './server/readers/snapshots.ts'
import { mcpSettings, requestOptions } from './server/settings.ts'

const help = `
An assistant starts this command and calls its tools. It reads Casper nodes itself and checks proofs on this machine, so that
"proven" depends on no server. With TRUSTED_BLOCK_HASH, verify_claim starts there if a call names no other block.

With --server, citations name the addresses of that server's proofs. Nothing is read from it.

Settings, from the environment:
${formatSettings(mcpSettings)}

The log goes to standard error: lines of text on a terminal, else one JSON object per line. The command ends when its input does.

Example, in the settings of an assistant:
  {"mcpServers": {"wattfeed": {"command": "wattfeed", "args": ["mcp"]}}}`

export const mcpCommand = createCommand('mcp')
  .description(
    'Answers an assistant on standard input and output, by the Model Context Protocol (MCP): tools that read and prove feeds.',
  )
  .option('--server <url>', 'the server whose proofs citations name')
  .addHelpText('after', help)
  .action(async (options: { server?: string }) => {
    try {
      await serve(options)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      for (const fault of error.faults) console.error(`mcp: ${fault}`)
      process.exitCode = 1
    }
  })

async function serve({ server }: { server?: string }): Promise<void> {
  const proofOrigin =
    server === undefined ? null : new URL(parseSecretOption('--server', httpUrl(), server)).origin
  const settings = parseSettings(mcpSettings, process.env)
  const { log, flush } = createLog({ level: settings.logLevel })
  await assertCheckpointFile(settings.checkpointFile)
  const network = requestOptions(settings, log)
  const client = createClient(network)
  const { close } = serveOnStdio({
    client,
    network,
    log,
    concurrency: settings.rpcConcurrency,
    historyCacheMb: settings.historyCacheMb,
    series: seriesReaderOf(client, (settings.datasets ?? []).map(placeOf)),
    proofOrigin,
    trustedBlockHash: settings.trustedBlockHash,
  })
  log.info(describeSource(settings), 'starting')
  onStopSignal(async () => {
    await close()
    await flush()
    process.exit(0)
  })
}

if (import.meta.main) await mcpCommand.parseAsync()
