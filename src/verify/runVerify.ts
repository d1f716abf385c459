import { DecodeError } from '../bytes/cursor.ts'
import { type FeedProofTrust, verifyFeedProof } from '../client/index.ts'
import { clean } from './clean.ts'
import type { DownloadOptions } from './downloadProof.ts'
import { checkJson, formatCheck } from './formatCheck.ts'
import { readProof } from './readProof.ts'
import { UnreadableProofError } from './unreadableProof.ts'

export interface VerifyOptions {
  /** File, URL, or `-` for standard input. */
  source: string
  trust: FeedProofTrust
  json: boolean
  download?: DownloadOptions
}

export interface VerifyOutcome {
  /** 0 proven, 1 refuted, 2 unreadable. */
  exitCode: 0 | 1 | 2
  /** What to print. */
  text: string
}

/** Reads a proof and checks it; nothing is asked of any node. */
export async function runVerify({ source, trust, json, download }: VerifyOptions): Promise<VerifyOutcome> {
  try {
    const check = await verifyFeedProof(await readProof(source, trust.trustedBlockHash, download), trust)
    const text = json ? JSON.stringify(checkJson(check)) : formatCheck(check)
    return { exitCode: check.reading === null ? 1 : 0, text }
  } catch (error) {
    if (!(error instanceof UnreadableProofError || error instanceof DecodeError)) throw error
    const { code, message } = error
    return {
      exitCode: 2,
      text: json ? JSON.stringify({ error: { code, message } }) : `unreadable: ${clean(message)}`,
    }
  }
}
