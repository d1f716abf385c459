import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DecodeError } from '../../bytes/cursor.ts'
import { checkFinality } from '../../casper/consensus/finality.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { checkBlock, checkSwitchBlocks } from '../../client/feedProof/checkBlocks.ts'
import { BrokenLink, createChecker } from '../../client/feedProof/checker.ts'
import type { FeedProofTrust } from '../../client/feedProof/feedProofCheck.ts'
import type { Verification, VerifyLevel } from '../../client/verification.ts'
import type { VerifiedChain } from '../../client/verifiedChain.ts'
import { readTextFile } from '../../runtime/readJsonFile.ts'
import { nullIfMissing } from '../../runtime/systemReason.ts'
import { DataSetError, PROOF_FILE } from '../export/manifest.ts'
import type { Disk } from '../export/staging.ts'
import { type ElementFile, openElementFile } from './elementFile.ts'
import { createElementWriter } from './elementWriter.ts'
import { createGarbageCollector } from './garbageCollector.ts'
import { createNodeItems } from './nodeItems.ts'
import { formatHeader, type ProofHeader, readHeader } from './proofHeader.ts'
import type { CompleteProof } from './provenState.ts'
import { readDataSet } from './readDataSet.ts'

export interface WriteProofOptions {
  /** The folder for the proof, until it is complete. */
  folder: string
  rpc: Rpc
  chain: Pick<VerifiedChain, 'openProof'>
  trust: Pick<FeedProofTrust, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>
  /** Hash of the switch block where the proof starts; null for the last one before its block. */
  from: string | null
  level: VerifyLevel
  /** Identifies the export. A proof that an interrupted run has begun is continued only by the same export. */
  purpose: string
  concurrency: number
  files: Disk
  /** Number of bytes to collect before they are written. @default 1 MiB */
  flushBytes?: number
  progress: (line: string) => void
  milestone: (line: string) => void
}

/** A proof that was written, with the verification of its block. */
export interface WrittenProof extends CompleteProof, Disposable {
  /** Null if nothing is verified. */
  verification: Verification | null
}

const PROGRESS_EVERY = 1_000
const MILESTONE_EVERY = 20_000

/** Reads both registries completely at one block, and writes the proof. Resumes at the block of an interrupted run. */
export async function writeProof(options: WriteProofOptions): Promise<WrittenProof> {
  const { folder, rpc, concurrency, files, trust, progress, milestone } = options
  using resources = new DisposableStack()
  const elements = resources.use((await resume(options)) ?? (await begin(options)))
  const header = readHeader(elements)
  const { stateRootHash, height, verification } = await verifyBlock(header, options)
  const path = join(folder, PROOF_FILE)
  const writer = createElementWriter(path, elements, files, options.flushBytes)
  milestone(`the data set is proven at block ${height}, state root ${stateRootHash}`)
  const collect = createGarbageCollector()
  const dataSet = await readDataSet({
    items: createNodeItems({ elements, writer, rpc, stateRootHash, concurrency }),
    packages: {
      FeedRegistry: trust.feedRegistryPackageHash,
      AttestationRegistry: trust.attestationRegistryPackageHash,
    },
    step: (_, work) => work(),
    onRead(done, total) {
      collect()
      const line = `${done} of ${total} values and events proven`
      if (done % MILESTONE_EVERY === 0) milestone(line)
      else if (done % PROGRESS_EVERY === 0) progress(line)
    },
  })
  await writer.flush()
  const owned = resources.move()
  return { elements, dataSet, stateRootHash, verification, [Symbol.dispose]: () => owned.dispose() }
}

const PIN = 'purpose'

/** Opens the proof that an interrupted run of the same export has begun; null if there is none. */
async function resume(options: WriteProofOptions): Promise<ElementFile | null> {
  const { folder, purpose, milestone } = options
  const path = join(folder, PROOF_FILE)
  const fail = (rule: string) => new DataSetError({ path: folder, rule })
  if ((await readTextFile(join(folder, PIN), { fail })) !== purpose) return null
  try {
    using file = openElementFile(path)
    await verifyBlock(readHeader(file), options)
  } catch (error) {
    if (error instanceof DecodeError || error instanceof BrokenLink) return null
    // A crash while the folder was removed may leave only the other file.
    return nullIfMissing(error)
  }
  const { size } = await stat(path)
  milestone(`resumes a proof of which ${size} bytes were written`)
  return openElementFile(path)
}

async function begin({ folder, chain, from, purpose, files }: WriteProofOptions): Promise<ElementFile> {
  const { registries, block, switchBlocks } = await chain.openProof({ from })
  await files.remove(folder)
  const path = join(folder, PROOF_FILE)
  await files.write(path, formatHeader({ registries, block, switch_blocks: switchBlocks }))
  await files.write(join(folder, PIN), purpose)
  await files.sync(folder)
  return openElementFile(path)
}

/** Verifies the blocks of a proof, which may be from an earlier run. */
async function verifyBlock(header: ProofHeader, { trust, from, level }: WriteProofOptions) {
  const trustedBlockHash = from ?? header.switch_blocks[0]?.hash ?? ''
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
