import { stat } from 'node:fs/promises'
import { DecodeError } from '@wattfeed/base'
import type { FeedProofTrust } from 'wattfeed'
import { printable, printableJson } from '../../runtime/printable.ts'
import type { DataProofCheck } from '../dataProof/checkDataProof.ts'
import { formatLinks } from './formatCheck.ts'
import { unreadable, type VerifyOutcome } from './runVerify.ts'

/** Returns whether a source is a file with the proof of a data set. Other sources are not opened, because a pipe can be read only once. */
export async function isDataSetProof(source: string): Promise<boolean> {
  const found = await stat(source).catch(() => null)
  if (!found?.isFile()) return false
  const { PROOF_START } = await import('../dataProof/proofFile.ts')
  const start = await Bun.file(source)
    .slice(0, PROOF_START.length)
    .text()
    .catch(() => '')
  return start === PROOF_START
}

/** Verifies the proof of a data set, and the rows beside it, without calling a node. */
export async function runVerifyDataSet(options: {
  source: string
  trust: FeedProofTrust
  json: boolean
  progress: (line: string) => void
}): Promise<VerifyOutcome> {
  const { source, json } = options
  try {
    // Loaded on demand, because it also reads the files of a data set.
    const { checkDataProof } = await import('../dataProof/checkDataProof.ts')
    const check = await checkDataProof({ ...options, path: source })
    const { dataSet, links } = check
    const text = json
      ? printableJson(JSON.stringify({ proven: dataSet !== null, data_set: dataSet, links }))
      : `${formatLinks(links)}\n${summaryOf(check)}`
    return { exitCode: dataSet === null ? 1 : 0, text }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return unreadable(error, json)
  }
}

function summaryOf({ dataSet, links }: DataProofCheck): string {
  if (dataSet === null) return `refuted: ${printable(links.at(-1)?.link ?? 'the proof')} does not hold`
  const { values, feeds, events, rows, block_height } = dataSet
  const logged = (events.FeedRegistry ?? 0) + (events.AttestationRegistry ?? 0)
  const compared = rows === null ? 'no rows compared' : `${rows} rows compared`
  return `proven: all ${values} values of all ${feeds} feeds, and all ${logged} events, as of block ${block_height} (${compared})`
}
