import { statSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import {
  createDevnet,
  type Devnet,
  type DevnetEndpoint,
  type DevnetOptions,
  keyPath,
  type Protocol,
  protocols,
  READABLE_ROOTS,
  startDevnet,
  writeKeys,
} from '@wattfeed/casper-devnet'
import { Option } from 'commander'
import { createCommand } from './runtime/createCommand.ts'
import { commandError } from './runtime/errorFields.ts'
import { devnetSettings } from './runtime/settings/listenSettings.ts'
import { option } from './runtime/settings/option.ts'
import { misspelt, SettingsError } from './runtime/settings/settings.ts'
import { chainName, publicKey, textOf } from './runtime/settings/textTypes.ts'
import { nextStopSignal } from './runtime/stopSignal.ts'

interface Options {
  port: number
  chainName: string
  accounts: number
  blockTime?: number
  seed: string
  data?: string
  protocol: Protocol
  keys?: string
  fund: readonly string[]
  json?: boolean
}

const description = `Runs a Casper chain on this machine, for development only: its secret keys are public.

It executes contract wasm and serves a node's JSON-RPC on 127.0.0.1 only. State roots and Merkle proofs are real, and \
can be read for the newest ${READABLE_ROOTS} blocks.`

const exitCodes = `
Exit codes: 0 stopped by a signal, 1 failed to start.`

const { DEVNET_PORT } = devnetSettings.properties

// An empty setting counts as unset.
if (process.env.DEVNET_PORT?.trim() === '') delete process.env.DEVNET_PORT

const directory = textOf('a directory, or a path that does not exist yet', (path) =>
  path.trim() !== '' && isDirectoryOrNothing(path) ? path : undefined,
)

export const devnetCommand = createCommand('devnet')
  .description(description)
  .addOption(
    new Option('--port <number>', DEVNET_PORT.description)
      .env('DEVNET_PORT')
      .default(DEVNET_PORT.default)
      .argParser(option(DEVNET_PORT)),
  )
  .option('--chain-name <name>', 'name of the chain', option(chainName()), 'casper-devnet')
  .addOption(
    new Option('--accounts <number>', 'number of funded accounts')
      .default(10)
      .argParser(option(Type.Integer({ minimum: 1, maximum: 1000 }))),
  )
  .addOption(
    new Option(
      '--block-time <ms>',
      'time between blocks in milliseconds (default: an immediate block for each transaction)',
    ).argParser(option(Type.Integer({ minimum: 1, maximum: 3_600_000 }))),
  )
  .option('--seed <text>', 'seed of all keys: the same seed gives the same keys', 'casper-devnet')
  .addOption(
    new Option(
      '--protocol <version>',
      'costs, limits and fees of the public test network, or of casper-node 2.0.3',
    )
      .choices(protocols)
      .default(protocols[0]),
  )
  .option('--data <dir>', 'store the chain in this directory (default: in memory only)', option(directory))
  .option(
    '--keys <dir>',
    'write the secret keys to PEM files in this directory instead of printing them',
    option(directory),
  )
  .addOption(
    new Option('--fund <public key>', 'fund another account; can be repeated')
      .default([], 'none')
      .argParser((key, keys: readonly string[]) => [...keys, option(publicKey)(key)]),
  )
  .option('--json', 'print one JSON object on standard output')
  .addHelpText('after', exitCodes)
  .action(run)

if (import.meta.main) await devnetCommand.parseAsync()

async function run(options: Options): Promise<void> {
  try {
    const faults = misspelt(process.env, devnetSettings)
    if (faults.length > 0) throw new SettingsError({ faults })
    const stopSignal = nextStopSignal()
    await using devnet = createDevnet(devnetOptions(options))
    await using endpoint = await startDevnet(devnet, { port: options.port })
    if (options.keys !== undefined) writeKeys(options.keys, devnet.accounts)
    process.stdout.write(
      options.json ? formatJson(devnet, endpoint, options) : formatText(devnet, endpoint, options),
    )
    await stopSignal
  } catch (error) {
    console.error(`devnet: ${commandError(error).message}`)
    process.exitCode = 1
  }
}

function devnetOptions({ blockTime, data, ...options }: Options): DevnetOptions {
  const { chainName, accounts, seed, protocol, fund } = options
  return {
    chainName,
    accounts,
    blockTimeMs: blockTime ?? null,
    seed,
    protocol,
    directory: data ?? null,
    fund,
  }
}

function formatJson(devnet: Devnet, endpoint: DevnetEndpoint, { keys }: Options): string {
  const printed = {
    rpc_url: endpoint.url,
    chain_name: devnet.chainName,
    trusted_block_hash: devnet.genesisHash,
    accounts: devnet.accounts.map(({ publicKey, accountHash, secretKeyPem }, index) => ({
      public_key: publicKey,
      account_hash: accountHash,
      ...(keys === undefined ? { secret_key_pem: secretKeyPem } : { secret_key_path: keyPath(keys, index) }),
    })),
  }
  return `${JSON.stringify(printed)}\n`
}

function formatText(devnet: Devnet, endpoint: DevnetEndpoint, options: Options): string {
  const { blockTime, protocol, data, keys } = options
  const accounts = devnet.accounts.map(({ publicKey, accountHash, secretKeyPem }, index) => {
    const secretKey = keys === undefined ? secretKeyPem : `     ${keyPath(keys, index)}\n`
    return `  ${index}  ${publicKey}\n     ${accountHash}\n${secretKey}`
  })
  return `
FOR DEVELOPMENT ONLY. The secret keys of this chain are public. Never use them on another network.

  JSON-RPC            ${endpoint.url}
  chain name          ${devnet.chainName}
  trusted block hash  ${devnet.genesisHash} (genesis)
  protocol            ${protocol}
  blocks              ${blockTime === undefined ? 'an immediate block for each transaction' : `every ${blockTime} ms`}
  stored in           ${data ?? 'memory only'}

Accounts, each with ${devnet.accountMotes / 1_000_000_000n} CSPR at genesis:

${accounts.join('\n')}
Press Ctrl-C to stop.
`
}

function isDirectoryOrNothing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true
  } catch {
    return false
  }
}
