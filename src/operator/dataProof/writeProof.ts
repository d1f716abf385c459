import { join } from 'node:path'
import { DecodeError, nullIfMissing } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import { checkFinality } from '@wattfeed/casper/light-client'
import type { FeedProofTrust, Verification, VerifyLevel } from 'wattfeed'
import {
  BrokenLink,
  checkBlock,
  checkSwitchBlocks,
  createChecker,
  type VerifiedChain,
} from 'wattfeed/internal'
import { readTextFile } from '../../runtime/readJsonFile.ts'
import { DataSetError, PROOF_FILE } from '../export/manifest.ts'
import { itemsOfNodes } from './nodeItems.ts'
import { formatHeader, ProofFile, type ProofHeader } from './proofFile.ts'
import { ProofParts, partPath, purposePath } from './proofParts.ts'
import { type ProvenDataSet, readDataSet } from './readDataSet.ts'

export interface WriteProofOptions {
  /** The folder for the proof, until it is complete. */
  folder: string
  rpc: Rpc
  chain: Pick<VerifiedChain, 'openProof'>
  trust: Pick<FeedProofTrust, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
  /** Hash of the switch block where the proof starts; null for the last one before its block. */
  startHash: string | null
  level: VerifyLevel
  /** Identifies the export. A proof that a killed run has begun is continued only by the same export. */
  purpose: string
  concurrency: number
  /** Number of bytes to collect before they are written. @default 1 MiB */
  partBytes?: number | undefined
  progress: (line: string) => void
  milestone: (line: string) => void
}

export interface WrittenProof {
  dataSet: ProvenDataSet
  stateRootHash: string
  /** Null if nothing is verified. */
  verification: Verification | null
}

const PROGRESS_EVERY = 1_000
const MILESTONE_EVERY = 20_000

/** Reads both registries completely at one block, and writes the proof. Resumes at the block of a killed run. */
export async function writeProof(options: WriteProofOptions): Promise<WrittenProof> {
  const { folder, rpc, concurrency, trust, progress, milestone } = options
  const parts = (await resume(options)) ?? (await begin(options))
  const { stateRootHash, height, verification } = await verifyBlock(readHeader(folder), options)
  milestone(`the data set is proven at block ${height}, state root ${stateRootHash}`)
  const dataSet = await readDataSet({
    items: itemsOfNodes({ parts, rpc, stateRootHash, concurrency }),
    packages: {
      FeedRegistry: trust.feedRegistryPackageHash,
      AttestationRegistry: trust.attestationRegistryPackageHash,
    },
    step: (_, work) => work(),
    onRead(done, total) {
      const line = `${done} of ${total} values and events proven`
      if (done % MILESTONE_EVERY === 0) milestone(line)
      else if (done % PROGRESS_EVERY === 0) progress(line)
    },
  })
  await parts.finish(join(folder, PROOF_FILE))
  return { dataSet, stateRootHash, verification }
}

/** Reads the parts of the proof that a killed run of the same export has begun; null if there is none. */
async function resume(options: WriteProofOptions): Promise<ProofParts | null> {
  const { folder, purpose, partBytes, milestone } = options
  const fail = (rule: string) => new DataSetError({ path: folder, rule })
  if ((await readTextFile(purposePath(folder), { fail })) !== purpose) return null
  try {
    await verifyBlock(readHeader(folder), options)
  } catch (error) {
    if (error instanceof DecodeError || error instanceof BrokenLink) return null
    // A crash while the folder was removed may leave only the other file.
    return nullIfMissing(error)
  }
  const parts = await ProofParts.resume(folder, partBytes)
  milestone(`resumes a proof of which ${parts.bytes} bytes were written`)
  return parts
}

async function begin(options: WriteProofOptions): Promise<ProofParts> {
  const { folder, chain, startHash, purpose, partBytes } = options
  const { registries, block, switchBlocks } = await chain.openProof({ from: startHash })
  const header = formatHeader({ registries, block, switch_blocks: switchBlocks })
  return ProofParts.begin(folder, { header, purpose, partBytes })
}

function readHeader(folder: string): ProofHeader {
  using file = new ProofFile(partPath(folder, 0))
  return file.readHeader()
}

/** Verifies the blocks of a proof, which may be from an earlier run. */
async function verifyBlock(header: ProofHeader, { trust, startHash, level }: WriteProofOptions) {
  const trustedBlockHash = startHash ?? header.switch_blocks[0]?.hash ?? ''
  const checker = createChecker()
  const before = await checkSwitchBlocks(header, { ...trust, trustedBlockHash }, checker)
  const block = await checkBlock(header, { ...trust, trustedBlockHash }, before, checker)
  const { stateRootHash, height, eraId, timestamp } = block.header
  const { signed, total } = await checkFinality(block, before.weights, trust.chainName)
  const verification: Verification | null =
    level === 'off'
      ? null
      : {
          level,
          blockHeight: height,
          blockHash: block.hash,
          eraId,
          weightSigned: signed,
          weightTotal: total,
          blockTimestamp: timestamp,
          ageMs: Math.max(0, Date.now() - timestamp),
        }
  return { stateRootHash, height, verification }
}
