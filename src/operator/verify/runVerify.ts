import { DecodeError } from '@wattfeed/base'
import { type FeedProofTrust, verifyFeedProof, type WattfeedError } from 'wattfeed'
import { printable, printableJson } from '../../runtime/printable.ts'
import { checkJson, formatCheck, isProven } from './formatCheck.ts'
import { type DownloadOptions, readProof, UnreadableProofError } from './readProof.ts'
import { requestedBy } from './requestedBy.ts'

export interface VerifyOutcome {
  /** 0 proven, 1 refuted, 2 unreadable. */
  exitCode: 0 | 1 | 2
  text: string
}

/** Reads a proof and verifies it, without calling a node. */
export async function runVerify({
  source,
  trust,
  json,
  download,
}: {
  source: string
  trust: FeedProofTrust
  json: boolean
  download?: DownloadOptions
}): Promise<VerifyOutcome> {
  try {
    const requested = requestedBy(source)
    const proof = await readProof(source, trust.trustedBlockHash, download)
    const check = await verifyFeedProof(proof, { ...trust, ...requested })
    const text = json ? printableJson(JSON.stringify(checkJson(check))) : formatCheck(check)
    return { exitCode: isProven(check) ? 0 : 1, text }
  } catch (error) {
    if (!(error instanceof UnreadableProofError || error instanceof DecodeError)) throw error
    return unreadable(error, json)
  }
}

/** Returns the outcome for a proof that cannot be read. */
export function unreadable({ code, message }: WattfeedError, json: boolean): VerifyOutcome {
  const text = json
    ? printableJson(JSON.stringify({ error: { code, message } }))
    : `unreadable: ${printable(message)}`
  return { exitCode: 2, text }
}
