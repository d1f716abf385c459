import { DecodeError } from '../bytes/cursor.ts'
import { type FeedProofTrust, verifyFeedProof } from '../client/index.ts'
import { checkJson, formatCheck } from './formatCheck.ts'
import { readProof, UnreadableProofError } from './readProof.ts'

export interface VerifyOptions extends FeedProofTrust {
  /** File, URL, or `-` for standard input. */
  source: string
  json: boolean
  fetch?: typeof fetch
}

export interface VerifyOutcome {
  /** 0 proven, 1 refuted, 2 unreadable. */
  exitCode: 0 | 1 | 2
  /** For standard output. */
  text: string
}

/** Reads a proof and checks it; nothing is asked of any node. */
export async function runVerify(options: VerifyOptions): Promise<VerifyOutcome> {
  const { source, json, trustedBlockHash, fetch: request = fetch } = options
  try {
    const check = await verifyFeedProof(await readProof(source, trustedBlockHash, request), options)
    const text = json ? JSON.stringify(checkJson(check)) : formatCheck(check)
    return { exitCode: check.reading === null ? 1 : 0, text }
  } catch (error) {
    if (!(error instanceof UnreadableProofError || error instanceof DecodeError)) throw error
    const { code, message } = error
    return {
      exitCode: 2,
      text: json ? JSON.stringify({ error: { code, message } }) : `unreadable: ${message}`,
    }
  }
}
