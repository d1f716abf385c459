import { isSystemError, nearestName, systemMessage, WattfeedError } from '@wattfeed/base'
import { type Command, Option } from 'commander'
import { createDevnet, type Devnet } from '../createDevnet.ts'
import { writeKeys } from '../keyFiles.ts'
import { type Protocol, protocols } from '../protocol.ts'
import { startDevnet } from '../rpc/startDevnet.ts'
import { READABLE_ROOTS } from '../state/stateTrie.ts'
import { addControlCommands, DEFAULT_PORT } from './controlCommands.ts'
import { formatChain, formatChainJson } from './formatChain.ts'
import { blockTime, chainName, directory, host, publicKey, wholeNumber } from './parsers.ts'
import { printTransactions } from './printTransactions.ts'

interface Options {
  host: string
  port: number
  chainName: string
  accounts: number
  blockTime?: number | 'manual'
  seed: string
  data?: string
  protocol: Protocol
  keys?: string
  fund: readonly string[]
  json?: boolean
}

/** What the program that has the command provides. */
export interface DevnetCommandContext {
  /** Resolves when the program gets a signal to stop. */
  untilStopped(): Promise<void>
  /** Checks the environment. @throws {WattfeedError} */
  checkEnvironment?(): void
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1'])

const description = `Runs a Casper chain on this machine, for development only: its secret keys are public.

It executes contract wasm and serves a node's JSON-RPC and event stream, on 127.0.0.1 unless --host says otherwise. State roots and \
Merkle proofs are real, and can be read for the newest ${READABLE_ROOTS} blocks. Each transaction is printed as a line.`

const exitCodes = `
Exit codes: 0 stopped by a signal, 1 failed to start.`

/** Adds the options and commands of an embedded chain to a command, which `wattfeed devnet` and this package's program share. */
export function addDevnetCommand(command: Command, context: DevnetCommandContext): Command {
  // An empty setting counts as unset.
  if (process.env.DEVNET_PORT?.trim() === '') delete process.env.DEVNET_PORT
  addOptions(command.description(description))
    .addHelpText('after', exitCodes)
    // Otherwise, a misspelt command is an excess argument of this one.
    .allowExcessArguments()
    .action((options: Options, self: Command) => {
      assertNoArguments(self)
      return reporting(self, async () => {
        context.checkEnvironment?.()
        await runChain(options, nameOf(self), context.untilStopped())
      })
    })
  addControlCommands(command, (action) =>
    reporting(command, async () => void process.stdout.write(`${await action()}\n`)),
  )
  return command
}

function assertNoArguments(command: Command): void {
  const [unknown] = command.args
  if (unknown === undefined) return
  const nearest = nearestName(
    unknown,
    command.commands.map((each) => each.name()),
  )
  command.error(`error: unknown command '${unknown}'; the nearest is ${nearest}`)
}

function addOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--host <address>',
        'address to listen on; all who reach it can use the chain and its public keys',
      )
        .default('127.0.0.1')
        .argParser(host),
    )
    .addOption(
      new Option('--port <number>', 'where to listen; 0 takes a free port')
        .env('DEVNET_PORT')
        .default(DEFAULT_PORT)
        .argParser(wholeNumber(0, 65_535)),
    )
    .option('--chain-name <name>', 'name of the chain', chainName, 'casper-devnet')
    .addOption(
      new Option('--accounts <number>', 'number of funded accounts')
        .default(10)
        .argParser(wholeNumber(1, 1000)),
    )
    .addOption(
      new Option(
        '--block-time <ms | manual>',
        'time between blocks in milliseconds, or blocks on request only (default: an immediate block for each transaction)',
      ).argParser(blockTime),
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
    .option('--data <dir>', 'store the chain in this directory (default: in memory only)', directory)
    .option(
      '--keys <dir>',
      'write the secret keys to PEM files in this directory instead of printing them',
      directory,
    )
    .addOption(
      new Option('--fund <public key>', 'fund another account at genesis; can be repeated')
        .default([], 'none')
        .argParser((key, keys: readonly string[]) => [...keys, publicKey(key)]),
    )
    .option('--json', 'print one JSON object on standard output, and no transactions')
}

async function runChain(options: Options, name: string, stopped: Promise<void>): Promise<void> {
  const { host, port, json, keys } = options
  await using devnet = createDevnetFor(options)
  await using endpoint = await startDevnet(devnet, { host, port })
  if (keys !== undefined) writeKeys(keys, devnet.accounts)
  if (!LOOPBACK.has(host)) console.error(exposed(host, endpoint.port))
  const started = { ...options, devnet, endpoint }
  process.stdout.write(json ? formatChainJson(started) : formatChain(started, name))
  const end = json ? () => {} : printTransactions(devnet, (line) => process.stdout.write(`${line}\n`))
  await stopped
  end()
}

function createDevnetFor(options: Options): Devnet {
  const { blockTime, data, chainName, accounts, seed, protocol, fund } = options
  return createDevnet({
    chainName,
    accounts,
    blockTimeMs: blockTime ?? null,
    seed,
    protocol,
    directory: data ?? null,
    fund,
  })
}

const exposed = (host: string, port: number): string =>
  `WARNING: all who can reach ${host}:${port} can use this chain, move its time and spend from every account: the keys are public test keys.
Never fund these keys on another network. Without --host, the chain is for this machine only.`

/** Returns the command as a person types it. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`
}

async function reporting(command: Command, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof WattfeedError) && !isSystemError(error)) throw error
    console.error(`${command.name().split(' ').at(-1)}: ${systemMessage(error)}`)
    process.exitCode = 1
  }
}
