import { memberAt, systemReason, WattfeedError } from '@wattfeed/base'
import type { Command } from 'commander'
import { rpcUrl, type TimeMove, timeMove, wholeNumber } from './parsers.ts'

/** A running chain did not do what a command asked for. */
class DevnetCallError extends WattfeedError {
  static override readonly name = 'DevnetCallError'
  readonly code = 'devnet_call'
  readonly retryable = false
}

const MOTES = '1000000000000'

/**
 * Adds the commands that control a running chain.
 *
 * @param run - runs an action, and reports its error
 */
export function addControlCommands(
  program: Command,
  run: (action: () => Promise<string>) => Promise<void>,
): void {
  const add = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--url <url>', 'JSON-RPC of the chain', rpcUrl, defaultUrl())

  add('mine', 'Makes blocks, with the pending transactions or empty.')
    .argument('[blocks]', 'number of blocks', wholeNumber(1, 10_000), 1)
    .action((blocks: number, { url }: Asked) => run(() => mine(url, blocks)))
  add('time', 'Moves the clock of the chain, for a duration or to a time. The next block has the new time.')
    .argument('<duration | timestamp>', '1h, "1day 2h", or 2027-01-01T00:00:00Z', timeMove)
    .action((move: TimeMove, { url }: Asked) => run(() => moveTime(url, move)))
  add('snapshot', 'Keeps the state of the chain in memory, and prints its number.').action(({ url }: Asked) =>
    run(async () => String(memberAt(await ask(url, 'devnet_snapshot', {}), 'snapshot_id'))),
  )
  add('revert', 'Returns the chain to a snapshot, which stays. Later snapshots are forgotten.')
    .argument('<snapshot>', 'number of the snapshot', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action((snapshot_id: number, { url }: Asked) =>
      run(async () => formatBlock(await ask(url, 'devnet_revert', { snapshot_id }))),
    )
  add('fund', 'Transfers motes from the faucet to an account, and prints the hash of the transaction.')
    .argument('<account>', 'public key in hex, or account hash')
    .argument('[motes]', 'at least 2500000000, which is 2.5 CSPR', MOTES)
    .action((account: string, amount: string, { url }: Asked) =>
      run(async () => {
        const funded = await ask(url, 'devnet_fund', { account, amount })
        return String(memberAt(funded, 'transaction_hash', 'Version1'))
      }),
    )
}

interface Asked {
  readonly url: string
}

const defaultUrl = (): string => `http://127.0.0.1:${process.env.DEVNET_PORT ?? DEFAULT_PORT}/rpc`

/** Where a chain listens by default. */
export const DEFAULT_PORT = 11_101

const mine = async (url: string, blocks: number): Promise<string> =>
  formatBlock(await ask(url, 'devnet_mine', { blocks }))

async function moveTime(url: string, move: TimeMove): Promise<string> {
  const moved = await ask(url, 'timestamp' in move ? 'devnet_set_time' : 'devnet_increase_time', move)
  return String(memberAt(moved, 'timestamp'))
}

const formatBlock = (block: unknown): string =>
  `block ${memberAt(block, 'block_height')}  ${memberAt(block, 'block_hash')}  ${memberAt(block, 'timestamp')}`

async function ask(url: string, method: string, params: object): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body }).catch((error: Error) => {
    throw new DevnetCallError(
      `no chain answers at ${url} (${systemReason(error)}); start it, or name its --url`,
    )
  })
  const answer: unknown = await response.json().catch(() => null)
  const error = memberAt(answer, 'error')
  if (error !== undefined)
    throw new DevnetCallError(`${method}: ${memberAt(error, 'data') ?? memberAt(error, 'message')}`)
  const result = memberAt(answer, 'result')
  if (result === undefined)
    throw new DevnetCallError(
      `${url} does not serve the JSON-RPC of a chain: it answered with HTTP ${response.status}`,
    )
  return result
}
