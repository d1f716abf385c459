import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { verifyAbsence } from '@wattfeed/casper'
import { finalityMessage } from '@wattfeed/casper/light-client'
import type { FeedAbsence, FeedProof, FeedProofBlock } from 'wattfeed'
import { localClient } from 'wattfeed/testing/localClient'
import { proofOf } from 'wattfeed/testing/provenFeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { BRENT, WTI } from 'wattfeed/testing/world'
import { decodeBlockHeader, hashBlockHeader } from '../../../../packages/casper/src/types/blockHeader.ts'
import { createValidators } from '../../../../packages/casper-devnet/src/consensus/validators.ts'
import {
  absentField,
  fieldKeyOf,
} from '../../../../packages/wattfeed/src/client/proof/create/registryItems.ts'
import type { VectorTrust } from '../../../../scripts/proofMutants/verdictOf.ts'
import { createLegacyWorld, formCommittee } from '../../../wattfeed/client/proof/attesterWorlds.ts'

/** A document that a verifier proves. */
export interface ProvenDocument {
  name: string
  trust: VectorTrust
  document: unknown
}

const UNKNOWN = 'NO.SUCH.FEED'
const VALUELESS = 'NO.VALUE.YET'
const OTHER = 'EIA.OTHER.FEED'
const START_MS = Date.UTC(2026, 10, 20)

/** Makes the documents. They are the same every time. */
export async function createProvenDocuments(): Promise<ProvenDocument[]> {
  await using world = await createVerifiedWorld({ nodes: 1, eras: 3, startMs: START_MS, protocol: '2.0.3' })
  const trust = trustOf(world.network, world.genesisHash)
  const { owner, alice, register, attest } = world.world
  assertDone([
    await register(owner, VALUELESS),
    await attest(owner, WTI, 60_000_000n),
    await register(alice, OTHER),
    await attest(alice, OTHER, 7n),
  ])
  const feedsAndHistory = [
    { name: 'list of feeds', trust: { ...trust, list: 'feeds' }, document: await feedsOf(world) },
    {
      name: 'history',
      trust: { ...trust, feed_id: WTI, list: 'history' },
      document: await historyOf(world),
    },
  ] as const
  await formCommittee(world.world)
  const newest = await proofOf(world)
  const past = await proofOf(world, WTI, world.genesisHash, 0)
  const { format, count, ...first } = { ...newest, items: newest.items.slice(0, 6) }
  const walk = await absenceOf(world, UNKNOWN)
  const legacy = await createLegacyDocument()
  const documents: ProvenDocument[] = [
    { name: 'newest value', trust: { ...trust, feed_id: WTI, index: null }, document: newest },
    { name: 'newest value of another feed', trust, document: await proofOf(world, BRENT) },
    { name: 'value at an index', trust: { ...trust, feed_id: WTI, index: 0 }, document: past },
    { name: 'format 1', trust, document: first },
    { name: 'trusted block in the middle', trust: trustLater(trust, newest), document: newest },
    { name: 'attester, a committee', trust, document: await attesterOf(world, WTI) },
    { name: 'attester, an account', trust, document: await attesterOf(world, OTHER) },
    { name: 'attester not proven', trust, document: { ...first, attester: null } },
    legacy,
    { name: 'no such feed, by elements', trust: { ...trust, feed_id: UNKNOWN }, document: error(walk) },
    { name: 'no such feed, by a Merkle proof', trust, document: error(byNeighbor(walk, newest)) },
    { name: 'no such feed, by ids', trust, document: error(await byIds(world, walk)) },
    { name: 'no value, by elements', trust, document: error(await absenceOf(world, VALUELESS)) },
    ...feedsAndHistory,
    withMixedValidators(trust, newest),
  ]
  return JSON.parse(JSON.stringify(documents))
}

function trustOf(network: VerifiedWorld['network'], trustedBlockHash: string): VectorTrust {
  return {
    trusted_block_hash: trustedBlockHash,
    chain_name: network.chainName,
    feed_registry_package_hash: network.feedRegistryPackageHash,
    attestation_registry_package_hash: network.attestationRegistryPackageHash,
  }
}

const trustLater = (trust: VectorTrust, { switch_blocks }: FeedProof): VectorTrust => ({
  ...trust,
  trusted_block_hash: switch_blocks[2]?.hash ?? '',
})

function assertDone(errors: readonly (string | null)[]): void {
  const failed = errors.find((each) => each !== null)
  if (failed !== undefined) throw new Error(`a call failed: ${failed}`)
}

const error = (absence: FeedAbsence) => ({ error: `feed not found on-chain: ${absence.feed_id}`, absence })

const clientOf = (world: VerifiedWorld) => world.client([0], { verify: 'off' })

const feedsOf = (world: VerifiedWorld) => clientOf(world).getFeedsProof({ from: world.genesisHash })

const historyOf = (world: VerifiedWorld) => clientOf(world).getHistoryProof(WTI, { from: world.genesisHash })

const attesterOf = (world: VerifiedWorld, feedId: string) =>
  clientOf(world).getFeedProof(feedId, { from: world.genesisHash, attester: true })

async function absenceOf(world: VerifiedWorld, feedId: string): Promise<FeedAbsence> {
  const absence = await clientOf(world).getFeedAbsence(feedId, { from: world.genesisHash })
  if (absence === null) throw new Error(`the absence of ${feedId} is not shown`)
  return absence
}

/** The same absence, shown by the number of feeds and their ids. */
async function byIds(world: VerifiedWorld, walk: FeedAbsence): Promise<FeedAbsence> {
  const { items } = await feedsOf(world)
  return { ...walk, items: items.slice(0, 2), evidence: { ids: items.slice(2) } }
}

/** The absence of a feed that the Merkle proof of the newest value shows. */
function byNeighbor(walk: FeedAbsence, { items, block }: FeedProof): FeedAbsence {
  const evidence = { merkle_proof: items[5]?.merkle_proof ?? '' }
  const stateRootHash = String(Object(block.header).state_root_hash)
  const contract = walk.items[1]?.stored_value
  for (let number = 0; ; number++) {
    const feedId = `${UNKNOWN}.${number}`
    const key = fieldKeyOf('FeedRegistry', contract, absentField(feedId, 'feed').field)
    const request = { key, stateRootHash, what: feedId, evidence: { merkleProof: evidence.merkle_proof } }
    if (verifyAbsence(request) === 'absent') return { ...walk, feed_id: feedId, evidence }
  }
}

/** The proof of a feed from before claims, with its attester. */
async function createLegacyDocument(): Promise<ProvenDocument> {
  await using legacy = await createLegacyWorld({ protocol: '2.0.3' })
  const { devnet, packages } = legacy
  const network = {
    chainName: devnet.chainName,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
  }
  const { client } = localClient({ ...network, answer: devnet.call })
  const document = await client.getFeedProof(BRENT, { from: devnet.genesisHash, attester: true })
  return { name: 'attester, before claims', trust: trustOf(network, devnet.genesisHash), document }
}

interface Signer {
  publicKey: string
  sign(message: Uint8Array): string
}

/** Two validators with secp256k1 keys. */
const ecdsaValidators: readonly Signer[] = [1, 2].map((byte) => {
  const secretKey = new Uint8Array(32).fill(byte)
  return {
    publicKey: `02${bytesToHex(secp256k1.getPublicKey(secretKey))}`,
    sign: (message) => `02${bytesToHex(secp256k1.sign(message, secretKey))}`,
  }
})

/**
 * The same value in a block that we invented. The trusted block has the format before protocol 2, and validators with keys of both
 * kinds sign the blocks after it.
 */
function withMixedValidators(trust: VectorTrust, proof: FeedProof): ProvenDocument {
  const validators: Signer[] = [...createValidators(new Uint8Array(32), 2), ...ecdsaValidators]
  const weights = validators.map(({ publicKey }, index) => ({
    validator: publicKey,
    weight: String(1_000_000_000 * (index + 1)),
  }))
  const sign = (header: object, chainName: string): FeedProofBlock => {
    const decoded = decodeBlockHeader(header, 'proposer' in header ? 2 : 1)
    const hash = hashBlockHeader(decoded)
    const message = finalityMessage({ hash, header: decoded }, chainName)
    const proofs = validators.map(({ publicKey, sign: by }) => ({
      public_key: publicKey,
      signature: by(message),
    }))
    return { header, hash, proofs }
  }
  const header = Object(proof.block.header)
  const { proposer, current_gas_price, last_switch_block_hash, ...older } = header
  const [validator = ''] = weights.map((each) => each.validator)
  const first = sign(
    {
      ...older,
      era_end: {
        era_report: {
          equivocators: [validator],
          rewards: [{ validator, amount: 7 }],
          inactive_validators: [],
        },
        next_era_validator_weights: weights,
      },
      era_id: 7,
      height: 70,
      protocol_version: '1.5.8',
    },
    trust.chain_name,
  )
  const second = sign(
    {
      ...header,
      era_end: {
        equivocators: [],
        inactive_validators: [validator],
        next_era_validator_weights: weights.toReversed(),
        rewards: {
          [validator]: ['1', '0'],
          [ecdsaValidators[0]?.publicKey ?? '']: ['340282366920938463463374607431768211456'],
        },
        next_era_gas_price: 1,
      },
      era_id: 8,
      height: 80,
      last_switch_block_hash: first.hash,
    },
    trust.chain_name,
  )
  const block = sign({ ...header, era_id: 9, last_switch_block_hash: second.hash }, trust.chain_name)
  return {
    name: 'validators with keys of both kinds',
    trust: { ...trust, trusted_block_hash: first.hash },
    document: { ...proof, block, switch_blocks: [first, second] },
  }
}
