/** Measures the computing time of verified reads, without a network; prints the times as JSON. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { verifyMerkleProof } from '@wattfeed/casper'
import {
  checkFinality,
  createLightClient,
  createTrustedValidators,
  finalityMessage,
  type ValidatorWeights,
} from '@wattfeed/casper/light-client'
import {
  type BlockJson,
  createSignedChain,
  createValidator,
  hashOf,
} from '@wattfeed/casper/testing/signedChain'
import { decodeBlock, encodeStoredValue, hashKey } from '@wattfeed/casper/types'
import { blockNode, createNodesRpc } from '@wattfeed/casper-devnet/testing/blockNode'
import { createStateTrie } from '../../packages/casper-devnet/src/state/stateTrie.ts'

/** In milliseconds. */
export interface VerificationTimes {
  /** The proof of one item at a time. */
  proofs: number[]
  /** Length of such a proof. */
  proofBytes: number
  /** Decoding, hashing and checking a block with 100 signatures, by signature algorithm. */
  ed25519Blocks: number[]
  secp256k1Blocks: number[]
  /** Following the chain from a trusted block to the newest. */
  eras: number
}

const [keyCount = 60_000, eraCount = 360, rounds = 50] = process.argv.slice(2).map(Number)
const CHAIN = 'casper'
const VALIDATORS = 100

async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The number of entries that fills the upper levels of the trie as on a public network. */
async function measureProofs(): Promise<Pick<VerificationTimes, 'proofs' | 'proofBytes'>> {
  const addresses = Array.from({ length: keyCount }, (_, index) =>
    Bun.CryptoHasher.hash('blake2b256', `key ${index}`),
  )
  const stored = encodeStoredValue({ kind: 'CLValue', value: { clType: 'U64', bytes: new Uint8Array(8) } })
  const state = createStateTrie()
  const keys = addresses.map((address) => hashKey(address).toHex())
  const stateRootHash = state.commit(
    state.emptyRootHash,
    keys.map((key) => [key, stored] as const),
  )
  const proofs: number[] = []
  let proofBytes = 0
  for (let round = 0; round < 20 * rounds; round++) {
    const index = (round * 997) % keyCount
    const merkleProof = state.prove(stateRootHash, keys[index] ?? '')?.toHex() ?? ''
    const key = `hash-${addresses[index]?.toHex()}`
    proofs.push(
      await timeOf(() => verifyMerkleProof({ merkleProof, stateRootHash, key, what: 'the bench key' })),
    )
    proofBytes = merkleProof.length / 2
  }
  return { proofs, proofBytes }
}

const validators = Array.from({ length: VALIDATORS }, (_, index) => createValidator(`validator ${index}`, 1n))
const chain = createSignedChain({
  chainName: CHAIN,
  eras: eraCount,
  blocksPerEra: 1,
  validators: () => validators,
})
const [genesis, tip] = [chain[0] as BlockJson, chain.at(-1) as BlockJson]

async function measureBlocks(json: BlockJson, weights: ValidatorWeights): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++)
    times.push(
      await timeOf(async () => {
        const { isFinal } = await checkFinality(decodeBlock(json), weights, CHAIN)
        if (!isFinal) throw new Error('the block is not final')
      }),
    )
  return times
}

/** The newest block with the signatures of other validators. */
function signBySecp256k1(): { json: BlockJson; weights: ValidatorWeights } {
  const message = finalityMessage(decodeBlock(tip), CHAIN)
  const keys = Array.from({ length: VALIDATORS }, () => secp256k1.keygen())
  const proofs = keys.map(({ publicKey, secretKey }) => ({
    public_key: `02${publicKey.toHex()}`,
    signature: `02${secp256k1.sign(message, secretKey).toHex()}`,
  }))
  return {
    json: { ...tip, proofs },
    weights: new Map(proofs.map(({ public_key }) => [public_key, 1n])),
  }
}

function measureEras(): Promise<number> {
  const { rpc } = createNodesRpc(
    CHAIN,
    blockNode(() => chain),
  )
  const trustedBlockHash = hashOf(genesis)
  const client = createLightClient({
    rpc,
    chainName: CHAIN,
    trustedBlockHash,
    validators: createTrustedValidators({ rpc, chainName: CHAIN, trustedBlockHash }),
    maxHeadAgeMs: 300_000,
    maxCheckMs: 600_000,
    now: () => Date.parse(String(tip.block.Version2.header.timestamp)),
  })
  return timeOf(async () => {
    const { block } = await client.getHead()
    if (block.hash !== hashOf(tip)) throw new Error('it did not reach the newest block')
  })
}

const bySecp256k1 = signBySecp256k1()
const times: VerificationTimes = {
  ...(await measureProofs()),
  ed25519Blocks: await measureBlocks(
    tip,
    new Map(validators.map(({ publicKey, weight }) => [publicKey, weight])),
  ),
  secp256k1Blocks: await measureBlocks(bySecp256k1.json, bySecp256k1.weights),
  eras: await measureEras(),
}
console.log(JSON.stringify(times))
