import type { ChainBlock } from '../chain/chainBlock.ts'
import { InvalidParamsError, requiredField, textOf, uintOf } from '../params.ts'
import { parseDuration, parseTimestamp } from '../transaction/nodeReader.ts'
import type { RpcMethod } from './methods.ts'

/** What controls an embedded chain. */
export interface DevnetControl {
  now(): number
  produceBlock(): ChainBlock
  increaseTime(ms: number): void
  setTime(timeMs: number): void
  snapshot(): number
  revert(snapshotId: number): ChainBlock
  /** Sends motes from the faucet. Returns the hash of the transaction. */
  requestFunds(account: string, motes: bigint): string
}

const MAX_BLOCKS = 10_000

/** The methods that no node has: `devnet_…`. */
export function devnetMethods(control: DevnetControl): ReadonlyMap<string, RpcMethod> {
  const time = (timeMs: number) => ({ timestamp: new Date(timeMs).toISOString() })
  return new Map(
    Object.entries<RpcMethod>({
      devnet_mine: method('makes blocks, one by default, and returns the newest', ['blocks'], (params) =>
        formatBlock(mine(control, Object(params).blocks)),
      ),
      devnet_increase_time: method(
        'moves the clock forward, by a duration such as 1day 2h',
        ['duration'],
        (params) => {
          control.increaseTime(parseDuration(textOf(requiredField(params, 'duration'))))
          return time(control.now())
        },
      ),
      devnet_set_time: method('sets the clock, which continues from there', ['timestamp'], (params) => {
        const timeMs = parseTimestamp(requiredField(params, 'timestamp'))
        control.setTime(timeMs)
        // The clock may have gone on by now.
        return time(timeMs)
      }),
      devnet_snapshot: method('keeps the state of the chain in memory, and returns its number', [], () => ({
        snapshot_id: control.snapshot(),
      })),
      devnet_revert: method('returns to a snapshot, which stays', ['snapshot_id'], (params) =>
        formatBlock(control.revert(uintOf(requiredField(params, 'snapshot_id')))),
      ),
      devnet_fund: method(
        'transfers motes from the faucet to a public key or account hash',
        ['account', 'amount'],
        (params) => {
          const account = textOf(requiredField(params, 'account'))
          const hash = control.requestFunds(account, motesOf(requiredField(params, 'amount')))
          return { transaction_hash: { Version1: hash } }
        },
      ),
    }),
  )
}

const method = (summary: string, params: readonly string[], run: (params: unknown) => object): RpcMethod => ({
  answer: (_, given) => run(given ?? {}),
  summary,
  params,
  checkParams: () => null,
})

function mine(control: DevnetControl, blocks: unknown): ChainBlock {
  const count = blocks === undefined ? 1 : uintOf(blocks)
  if (count < 1 || count > MAX_BLOCKS)
    throw new InvalidParamsError({ rule: `blocks must be from 1 to ${MAX_BLOCKS}` })
  for (let left = count; left > 1; left--) control.produceBlock()
  return control.produceBlock()
}

function motesOf(value: unknown): bigint {
  const text = textOf(value)
  if (/^\d{1,155}$/.test(text)) return BigInt(text)
  throw new InvalidParamsError({ rule: 'amount must be motes as text: "2500000000" is 2.5 CSPR' })
}

const formatBlock = ({ hash, height, timestampMs }: ChainBlock): object => ({
  block_hash: hash,
  block_height: height,
  timestamp: new Date(timestampMs).toISOString(),
})
