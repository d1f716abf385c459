import { Command } from 'commander'
import { type RecordChainOptions, recordChain } from '../src/devnet/recordChain.ts'

const { rpc, feedRegistry, attestationRegistry, out } = new Command('record')
  .description('Records what a node answers about the two registries, for startRecordedNode to replay.')
  .requiredOption('--rpc <url>', 'JSON-RPC URL of the node')
  .requiredOption('--feed-registry <hash>', 'package hash of the FeedRegistry')
  .requiredOption('--attestation-registry <hash>', 'package hash of the AttestationRegistry')
  .requiredOption('--out <file>', 'where to write, one exchange a line')
  .parse()
  .opts<{ rpc: string; feedRegistry: string; attestationRegistry: string; out: string }>()

const options: RecordChainOptions = {
  rpcUrl: rpc,
  feedRegistryPackageHash: feedRegistry,
  attestationRegistryPackageHash: attestationRegistry,
}

try {
  const exchanges = await recordChain(options)
  await Bun.write(out, exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''))
  process.stdout.write(`${exchanges.length} exchanges recorded in ${out}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
