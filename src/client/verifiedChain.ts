import type { AbortSignalLike } from '../async/webTypes.ts'
import { createLightClient, type FinalBlock } from '../casper/lightClient/createLightClient.ts'
import {
  type CheckpointStore,
  createNamedValidators,
  createTrustedValidators,
} from '../casper/lightClient/createValidators.ts'
import { isUnproven } from '../casper/lightClient/getBlock.ts'
import type { Node } from '../casper/rpc/nodePool.ts'
import type { Rpc } from '../casper/rpc/rpc.ts'
import { createProvenRpc } from '../casper/state/createProvenRpc.ts'
import type { RootSource } from './chainSource.ts'
import { createFeedProof } from './feedProof/createFeedProof.ts'
import { type FeedProof, type FeedProofBlock, proofBlockOf } from './feedProof/feedProof.ts'
import { createSwitchBlocksSince } from './feedProof/switchBlocksSince.ts'
import type { Verification, VerifyLevel } from './verification.ts'

export interface VerifiedChainOptions {
  rpc: Rpc
  chainName: string
  /** At `off` nothing is read through it but proofs for others. */
  verify: VerifyLevel
  /** 64 hex digits; null if nothing but proofs for others is asked for, or at level `proofs`. */
  trustedBlockHash: string | null
  /** How old the newest block may be, in milliseconds; at `off` as old as it is. */
  maxHeadAgeMs: number
  /** The longest that a head may take to verify before another node is asked, in milliseconds. */
  maxCheckMs: number
  checkpoint?: CheckpointStore | undefined
  /** Called when a checkpoint cannot be kept: once, until one can. */
  onCheckpointError?: ((error: unknown) => void) | undefined
  /** 64 lower-case hex digits. */
  feedRegistryPackageHash: string
  /** 64 lower-case hex digits. */
  attestationRegistryPackageHash: string
  /** The wall clock, in epoch milliseconds: blocks carry its time. */
  now: () => number
}

/** Reads that count only what is proven, and state roots that only final blocks have. */
export interface VerifiedChain {
  rpc: Rpc
  getRoot: RootSource
  /** See {@link Client.getFeedProof}. */
  getFeedProof(feedId: string, from: string | null, signal?: AbortSignalLike): Promise<FeedProof | null>
}

interface ProvenHead {
  block: FinalBlock
  switchBlocks: readonly FeedProofBlock[]
}

/** Puts what verifies together. Loaded only where something is verified: it doubles the library. */
export function createVerifiedChain(options: VerifiedChainOptions): VerifiedChain {
  const { verify, now } = options
  const trustedBlockHash = options.trustedBlockHash?.toLowerCase() ?? null
  const level: Verification['level'] = verify === 'full' ? 'full' : 'proofs'
  const validators =
    level === 'full' && trustedBlockHash !== null
      ? createTrustedValidators({ ...options, trustedBlockHash })
      : createNamedValidators(options.rpc)
  const maxHeadAgeMs = verify === 'off' ? Number.POSITIVE_INFINITY : options.maxHeadAgeMs
  const lightClient = createLightClient({ ...options, trustedBlockHash, maxHeadAgeMs, validators })
  const rpc = createProvenRpc(options.rpc)
  const switchBlocksSince = createSwitchBlocksSince(options)

  /**
   * A head, and the switch blocks that prove it to a stranger. Where a node's head is not proven from their block,
   * another node is asked, and the first is not blamed: the stranger's block may be that of another chain.
   */
  async function getProvenHead(
    from: string | null,
    signal?: AbortSignalLike,
    except?: Node,
  ): Promise<ProvenHead> {
    const { block, node } = await lightClient.getHead({ except, signal })
    try {
      return { block, switchBlocks: await switchBlocksSince(block.header, from, signal) }
    } catch (error) {
      if (except || options.rpc.nodes.length === 1 || !isUnproven(error)) throw error
      return getProvenHead(from, signal, node)
    }
  }

  return {
    rpc,
    async getRoot(signal) {
      const { block, node } = await lightClient.getHead({ signal })
      const { hash, header, weightSigned, weightTotal } = block
      const verification = {
        level,
        blockHeight: header.height,
        blockHash: hash,
        eraId: header.eraId,
        weightSigned,
        weightTotal,
        blockTimestamp: header.timestamp,
        ageMs: Math.max(0, now() - header.timestamp),
      }
      return { hash: header.stateRootHash, node, verification }
    },
    async getFeedProof(feedId, from, signal) {
      const { block, switchBlocks } = await getProvenHead(from?.toLowerCase() ?? null, signal)
      return createFeedProof({
        rpc,
        feedId,
        registries: {
          chain_name: options.chainName,
          feed_registry_package_hash: options.feedRegistryPackageHash,
          attestation_registry_package_hash: options.attestationRegistryPackageHash,
        },
        stateRootHash: block.header.stateRootHash,
        block: proofBlockOf(block.json),
        switchBlocks,
        signal,
      })
    },
  }
}
