import type { CheckedLink, FeedProofTrust } from 'wattfeed'
import {
  assertLink,
  BrokenLink,
  type Checker,
  checkBlock,
  checkRegistries,
  checkSwitchBlocks,
  createChecker,
  parseTrust,
  type RegistryName,
} from 'wattfeed/internal'
import { checkRows } from './checkRows.ts'
import { ProofFile } from './proofFile.ts'
import { itemsInFile } from './provenItems.ts'
import { readDataSet } from './readDataSet.ts'

/** The facts that a proof shows about a data set, as of one block. */
export interface ProvenSummary {
  readonly block_height: number
  readonly state_root_hash: string
  readonly feeds: number
  readonly values: number
  /** Number of events; null if the registry has no log. */
  readonly events: Readonly<Record<RegistryName, number | null>>
  /** Number of exported rows that equal the proven values; null if there is no manifest beside the proof. */
  readonly rows: number | null
}

export interface DataProofCheck {
  /** Null if a link is broken. */
  readonly dataSet: ProvenSummary | null
  readonly links: readonly CheckedLink[]
}

interface DataProofOptions {
  path: string
  trust: FeedProofTrust
  progress: (line: string) => void
}

const PROGRESS_EVERY = 1_000

/**
 * Checks the proof of a data set offline, and that the rows beside it equal the proven values. Reads the file line by line.
 *
 * @throws {DecodeError} when the file is not such a proof.
 * @throws the system's error if the file cannot be read.
 */
export async function checkDataProof(options: DataProofOptions): Promise<DataProofCheck> {
  const checker = createChecker()
  const { links } = checker
  try {
    const { height, ...proven } = await readProven(options, checker)
    const rows = await checkRows({ ...options, ...proven }, checker)
    const { feeds, values, events } = proven.dataSet
    const summary = {
      block_height: height,
      state_root_hash: proven.stateRootHash,
      feeds: feeds.length,
      values,
      events,
      rows,
    }
    return { dataSet: summary, links }
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error
    return { dataSet: null, links }
  }
}

/** Reads what a proof shows. Its elements take most of the memory, and are free before rows are compared. */
async function readProven({ path, progress, ...options }: DataProofOptions, checker: Checker) {
  const trust = parseTrust(options.trust)
  using file = new ProofFile(path)
  const header = file.readHeader()
  await checkRegistries(header, trust, checker)
  const before = await checkSwitchBlocks(header, trust, checker)
  const { height, stateRootHash } = (await checkBlock(header, trust, before, checker)).header
  const dataSet = await readDataSet({
    items: itemsInFile(file, stateRootHash),
    packages: {
      FeedRegistry: trust.feedRegistryPackageHash,
      AttestationRegistry: trust.attestationRegistryPackageHash,
    },
    step: checker.check,
    onRead(done, total) {
      if (done % PROGRESS_EVERY === 0) progress(`${done} of ${total} values and events checked`)
    },
  })
  await checker.check(
    'end of the file',
    () => assertLink(file.isAtEnd(), `line ${file.lineNumber} is not part of the proof`),
    () => `${file.elements.size} elements`,
  )
  return { registries: header.registries, height, stateRootHash, dataSet }
}
