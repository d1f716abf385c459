import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { finalityMessage } from '@wattfeed/casper/light-client'
import type { Block } from '@wattfeed/casper/types'
import { decodeBlockHeader, hashBlockHeader } from '../../src/types/blockHeader.ts'

/** A validator of a made-up chain, with real keys derived from a name. */
export interface TestValidator {
  publicKey: string
  secretKey: KeyObject
  weight: bigint
}

// RFC 8410: the prefix of a 32-byte Ed25519 secret key.
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function createValidator(name: string, weight: bigint): TestValidator {
  const seed = createHash('sha256').update(name).digest()
  const secretKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(secretKey).export({ format: 'der', type: 'spki' })
  return { publicKey: `01${spki.subarray(-32).toString('hex')}`, secretKey, weight }
}

/** A node's `block_with_signatures`. */
export interface BlockJson {
  block: { Version2: { hash: string; header: Record<string, unknown>; body: object } }
  proofs: { public_key: string; signature: string }[]
}

export interface SignedChainOptions {
  chainName: string
  eras: number
  blocksPerEra: number
  /** Returns the validators of an era. */
  validators: (eraId: number) => readonly TestValidator[]
  /** Returns the signers of a block. @default all validators of its era */
  signers?: (height: number, validators: readonly TestValidator[]) => readonly TestValidator[]
  stateRootHash?: (height: number) => string
  /** Time of block 0, in epoch milliseconds; blocks are one second apart. */
  startsAt?: number
  /** Part of every header; different values give different chains. */
  seed?: string
}

const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns blocks with valid hashes and signatures, oldest first; block 0 ends era 0. */
export function createSignedChain(options: SignedChainOptions): BlockJson[] {
  const { eras, blocksPerEra, validators, startsAt = 1_795_168_800_000, seed = '' } = options
  const { stateRootHash = (height) => hex(`root ${seed} ${height}`) } = options
  const blocks: BlockJson[] = []
  let [parent, lastSwitchBlockHash]: [string, string | null] = ['00'.repeat(32), null]
  const count = 1 + eras * blocksPerEra
  for (let height = 0; height < count; height++) {
    const eraId = Math.ceil(height / blocksPerEra)
    const isSwitchBlock = height % blocksPerEra === 0
    const header = {
      parent_hash: parent,
      state_root_hash: stateRootHash(height),
      body_hash: hex('body'),
      random_bit: height % 2 === 1,
      accumulated_seed: hex(seed),
      era_end: isSwitchBlock ? eraEnd(validators(eraId + 1)) : null,
      timestamp: new Date(startsAt + height * 1_000).toISOString(),
      era_id: eraId,
      height,
      protocol_version: '2.0.0',
      proposer: validators(eraId)[0]?.publicKey,
      current_gas_price: 1,
      last_switch_block_hash: lastSwitchBlockHash,
    }
    const block = signBlock(header, signersOf(options, height, eraId), options.chainName)
    blocks.push(block)
    parent = block.block.Version2.hash
    if (isSwitchBlock) lastSwitchBlockHash = parent
  }
  return blocks
}

function signersOf({ validators, signers }: SignedChainOptions, height: number, eraId: number) {
  return signers ? signers(height, validators(eraId)) : validators(eraId)
}

const eraEnd = (validators: readonly TestValidator[]): object => ({
  equivocators: [],
  inactive_validators: [],
  next_era_validator_weights: validators.map(({ publicKey, weight }) => ({
    validator: publicKey,
    weight: String(weight),
  })),
  rewards: {},
  next_era_gas_price: 1,
})

/** Returns a block with its hash and valid signatures. */
export function signBlock(
  header: Record<string, unknown>,
  signers: readonly TestValidator[],
  chainName: string,
): BlockJson {
  const decoded = decodeBlockHeader(header, 2)
  const hash = hashBlockHeader(decoded)
  const message = finalityMessage(
    { hash, header: decoded } satisfies Pick<Block, 'hash' | 'header'>,
    chainName,
  )
  const proofs = signers.map(({ publicKey, secretKey }) => ({
    public_key: publicKey,
    signature: `01${sign(null, message, secretKey).toString('hex')}`,
  }))
  return { block: { Version2: { hash, header, body: {} } }, proofs }
}

export const hashOf = ({ block }: BlockJson): string => block.Version2.hash
