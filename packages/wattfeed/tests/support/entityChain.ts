import {
  answerFrom,
  type EntityStateName,
  entityState,
  entityStates,
} from '@wattfeed/casper/testing/entityStates'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
  signBlock,
} from '@wattfeed/casper/testing/signedChain'
import { hashBlockBody } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { blockNode } from '@wattfeed/casper-devnet/testing/blockNode'
import type { ChainInProcess } from './localClient.ts'

const chainName = 'casper-entities'
const validators = [createValidator('entities', 3n)]

/** The secret key of the account that has installed and attested, which the engine's test support funds. */
export const attesterKey = [
  '-----BEGIN PRIVATE KEY-----',
  Buffer.from(`302e020100300506032b657004220420${'c7'.repeat(32)}`, 'hex').toString('base64'),
  '-----END PRIVATE KEY-----',
  '',
].join('\n')

export interface EntityChainOptions {
  /** The registries from before the switch, or those that were installed after it. @default 'old' */
  registries?: 'old' | 'new'
  /** Time of the last block, in epoch milliseconds. @default now */
  endsAt?: number
  /** The body of the last block. @default none */
  body?: object
}

export interface EntityChain extends ChainInProcess {
  genesisHash: string
  /** Times of the blocks, in epoch milliseconds. */
  times: readonly number[]
  /** Shows the node's next block. It shows the first at the beginning. */
  advance(): void
}

/**
 * A chain that turns addressable entities on: its blocks have states of `fixtures/entities`, one after another. **Blocks and signatures are
 * test data**, the states are those of a node's engine.
 */
export function createEntityChain(
  names: readonly EntityStateName[],
  { registries = 'old', endsAt = Date.now(), body }: EntityChainOptions = {},
): EntityChain {
  const states = names.map(entityState)
  const last = states.length - 1
  const blocks = createSignedChain({
    chainName,
    eras: 1,
    blocksPerEra: Math.max(last, 1),
    validators: () => validators,
    stateRootHash: (height) => (states[height] ?? states[last])?.stateRootHash ?? '',
    startsAt: endsAt - last * 1_000,
  }).slice(0, states.length)
  if (body !== undefined) blocks.push(withBody(blocks.splice(last), body))
  const [genesis] = blocks
  const hashes = entityStates.registries[registries === 'old' ? 0 : 1]
  if (genesis === undefined || hashes === undefined) throw new Error('nothing is recorded')
  let shown = 1
  const node = blockNode(() => blocks.slice(0, shown))
  const newest = () => blocks[shown - 1] ?? genesis
  const answer: AnswerRpc = (method, params) => {
    if (method === 'info_get_status') return { result: statusOf(newest()) }
    if (method === 'chain_get_block') return node(method, params)
    // A root that is in no block yet is not known either.
    const root = rootIn(params) ?? newest().block.Version2.header.state_root_hash
    const state = states.slice(0, shown).find(({ stateRootHash }) => stateRootHash === root)
    return state === undefined
      ? { error: { code: -32001, message: 'No such state root' } }
      : answerFrom(state)(method, params)
  }
  return {
    chainName,
    feedRegistryPackageHash: hashes.feed_registry,
    attestationRegistryPackageHash: hashes.attestation_registry,
    genesisHash: hashOf(genesis),
    times: blocks.map(({ block }) => Date.parse(String(block.Version2.header.timestamp))),
    answer,
    advance() {
      shown = Math.min(shown + 1, blocks.length)
    },
  }
}

function withBody([last]: readonly BlockJson[], body: object): BlockJson {
  if (last === undefined) throw new Error('the chain has no block')
  const { block } = last
  const header = { ...block.Version2.header, body_hash: hashBlockBody(body) }
  const signed = signBlock(header, validators, chainName)
  return { ...signed, block: { Version2: { ...signed.block.Version2, body } } }
}

function statusOf({ block }: BlockJson): object {
  const { hash, header } = block.Version2
  return {
    chainspec_name: chainName,
    protocol_version: header.protocol_version,
    last_added_block_info: { hash, height: header.height, timestamp: header.timestamp },
  }
}

/** Returns the state root that a call names; undefined for the newest. */
function rootIn(params: unknown): unknown {
  const { state_identifier, state_root_hash } = Object(params)
  return Object(state_identifier).StateRootHash ?? state_root_hash
}
