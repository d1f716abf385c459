import type { AbortSignalLike } from '@wattfeed/base'
import {
  type AbsenceEvidenceFinder,
  createAbsenceEvidenceFinder,
  createProvenState,
  type Node,
  type Rpc,
} from '@wattfeed/casper'
import {
  type CheckpointStore,
  createLightClient,
  createNamedValidators,
  createTrustedValidators,
  type FinalBlock,
  isUnproven,
  type LightClient,
} from '@wattfeed/casper/light-client'
import type { Absences } from './absences.ts'
import { assertBlockHash, assertIndex } from './argument.ts'
import type { ChainSource } from './chainSource.ts'
import { createFeedAbsence, createIdsReader } from './proof/create/createFeedAbsence.ts'
import {
  createFeedProof,
  type FeedAbsenceOptions,
  type FeedProofOptions,
  type KnownOfFeed,
  type ProofRequest,
} from './proof/create/createFeedProof.ts'
import { createFeedsProof } from './proof/create/createFeedsProof.ts'
import { createHistoryProof } from './proof/create/createHistoryProof.ts'
import { createTurns } from './proof/create/createTurns.ts'
import {
  type FeedAbsence,
  type FeedProof,
  type FeedProofBlock,
  type FeedsProof,
  type HistoryProof,
  proofBlockOf,
} from './proof/feedProof.ts'
import { createSwitchBlocksSince } from './proof/switchBlocksSince.ts'
import type { Verification, VerifyLevel } from './verification.ts'

export interface VerifiedChainOptions {
  rpc: Rpc
  chainName: string
  /** With `off`, only feed proofs use this chain. */
  verify: VerifyLevel
  /** 64 hex digits; null with `proofs` or `off`. */
  trustedBlockHash: string | null
  /** Maximum age of the newest block, in milliseconds; ignored with `off`. */
  maxHeadAgeMs: number
  /** Timeout of verifying a head before another node is used, in milliseconds. */
  maxCheckMs: number
  checkpoint?: CheckpointStore | undefined
  /** Called when the checkpoint cannot be saved; not again before a save succeeds. */
  onCheckpointError?: ((error: unknown) => void) | undefined
  /** 64 lower-case hex digits. */
  feedRegistryPackageHash: string
  /** 64 lower-case hex digits. */
  attestationRegistryPackageHash: string
  absences: Absences
  /** Wall clock in epoch milliseconds. */
  now: () => number
  /** Monotonic clock in milliseconds. */
  monotonic: () => number
}

/** What every proof begins with: the newest head, and the blocks that prove it. */
export type OpenedProof = Omit<ProofRequest, 'signal'>

/** A source of proven values at state roots of final blocks. */
export interface VerifiedChain extends ChainSource {
  /** Reads the newest head, and the blocks that prove it from the block `from`. */
  openProof(options: FeedAbsenceOptions): Promise<OpenedProof>
  /** See {@link Client.getFeedProof}. */
  getFeedProof(feedId: string, options: FeedProofOptions, known: KnownOfFeed): Promise<FeedProof | null>
  /** See {@link Client.getFeedAbsence}. */
  getFeedAbsence(feedId: string, options: FeedAbsenceOptions, known: KnownOfFeed): Promise<FeedAbsence | null>
  /** See {@link Client.getFeedsProof}. */
  getFeedsProof(options: FeedAbsenceOptions): Promise<FeedsProof>
  /** See {@link Client.getHistoryProof}. */
  getHistoryProof(
    feedId: string,
    options: FeedAbsenceOptions,
    known: KnownOfFeed,
  ): Promise<HistoryProof | null>
}

type OpenProof = (options: FeedAbsenceOptions) => Promise<ProofRequest>

interface ProvenHead {
  block: FinalBlock
  switchBlocks: readonly FeedProofBlock[]
}

/** Creates a chain source that verifies. Loaded on demand, because it doubles the size of the library. */
export function createVerifiedChain(options: VerifiedChainOptions): VerifiedChain {
  const { rpc, verify, now, absences } = options
  const level: Verification['level'] = verify === 'full' ? 'full' : 'proofs'
  const lightClient = createLightClientOf(options)
  const evidence = createAbsenceEvidenceFinder({ rpc, now: options.monotonic })
  let protocolVersion = ''
  return {
    state: createProvenState({
      rpc,
      evidence,
      requireAbsenceProof: absences.isProofRequired,
      onAbsence: absences.record,
    }),
    absences,
    lookUpAt: 'root',
    async getRoot(signal) {
      const { block, node } = await lightClient.getHead({ signal })
      const { header } = block
      const protocol = header.protocolVersion.join('.')
      if (protocol !== protocolVersion) evidence.askAgain()
      protocolVersion = protocol
      const verification = verificationOf(block, level, now())
      return { hash: header.stateRootHash, node, verification, protocolVersion }
    },
    ...createProver(createProofOpener(options, lightClient, evidence), {
      evidence,
      isProofRequired: absences.isProofRequired,
    }),
  }
}

function createLightClientOf({
  rpc,
  chainName,
  verify,
  maxHeadAgeMs,
  maxCheckMs,
  checkpoint,
  onCheckpointError,
  now,
  ...options
}: VerifiedChainOptions): LightClient {
  const trustedBlockHash = options.trustedBlockHash?.toLowerCase() ?? null
  const validators =
    verify === 'full' && trustedBlockHash !== null
      ? createTrustedValidators({ rpc, chainName, trustedBlockHash, checkpoint, onCheckpointError })
      : createNamedValidators(rpc)
  return createLightClient({
    rpc,
    chainName,
    trustedBlockHash,
    validators,
    maxHeadAgeMs: verify === 'off' ? Number.POSITIVE_INFINITY : maxHeadAgeMs,
    maxCheckMs,
    now,
  })
}

/** Creates the function that begins a proof: it reads the newest head, and the blocks that prove it. */
function createProofOpener(
  options: VerifiedChainOptions,
  lightClient: LightClient,
  evidence: AbsenceEvidenceFinder,
): OpenProof {
  const { rpc, chainName } = options
  // The answers to requests for proofs show absences by themselves.
  const state = createProvenState({ rpc, evidence })
  const switchBlocksSince = createSwitchBlocksSince(rpc, chainName)

  /**
   * Returns a head and the switch blocks that prove it from the block `from`. If that fails, tries another node. Does not
   * penalize the first, because `from` may belong to another chain.
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
      if (except || rpc.nodes.length === 1 || !isUnproven(error)) throw error
      return getProvenHead(from, signal, node)
    }
  }

  return async ({ from = null, signal }) => {
    if (from !== null) assertBlockHash('from', from)
    const { block, switchBlocks } = await getProvenHead(from?.toLowerCase() ?? null, signal)
    return {
      state,
      registries: {
        chain_name: chainName,
        feed_registry_package_hash: options.feedRegistryPackageHash,
        attestation_registry_package_hash: options.attestationRegistryPackageHash,
      },
      stateRootHash: block.header.stateRootHash,
      block: proofBlockOf(block.json),
      switchBlocks,
      signal,
    }
  }
}

function createProver(
  openProof: OpenProof,
  { evidence, isProofRequired }: { evidence: AbsenceEvidenceFinder; isProofRequired: boolean },
): Omit<VerifiedChain, keyof ChainSource> {
  const ids = createIdsReader()
  const takeTurn = createTurns()
  return {
    openProof,
    async getFeedProof(feedId, { index = null, attester = false, ...options }, known) {
      if (index !== null) assertIndex('index', index)
      const opened = await openProof(options)
      return createFeedProof({ ...opened, evidence, feedId, index, isAttesterIncluded: attester, known })
    },
    async getFeedAbsence(feedId, options, known) {
      const opened = await openProof(options)
      return createFeedAbsence({ ...opened, evidence, feedId, known, ids, isProofRequired })
    },
    getFeedsProof: (options) =>
      takeTurn(async () => createFeedsProof(await openProof(options)), options.signal),
    getHistoryProof: (feedId, options, known) =>
      takeTurn(
        async () => createHistoryProof({ ...(await openProof(options)), feedId, known }),
        options.signal,
      ),
  }
}

function verificationOf(block: FinalBlock, level: Verification['level'], now: number): Verification {
  const { hash, header, weightSigned, weightTotal } = block
  return {
    level,
    blockHeight: header.height,
    blockHash: hash,
    eraId: header.eraId,
    weightSigned,
    weightTotal,
    blockTimestamp: header.timestamp,
    ageMs: Math.max(0, now - header.timestamp),
  }
}
