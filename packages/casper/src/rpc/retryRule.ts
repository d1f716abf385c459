/**
 * Which failed calls are worth another attempt, and how many. `retried` in `layers.ts` follows it.
 *
 * A call goes to one node after the other, and after a pause to all of them again, while its error is `retryable`. For an error
 * of JSON-RPC, `isFinalCode` decides that, for a status of HTTP `isFinalStatus`, and for any other error its class.
 */

// Enough for 140 consecutive calls to succeed on a node that fails three calls in ten. The pauses take about 2 s.
export const MAX_ROUNDS = 10
// A wrong answer repeats if the data on chain is malformed, or if the node lies.
export const MAX_WRONG_ROUNDS = 4

const FINAL_CODES = new Set([-32700, -32600, -32601, -32602, -32001, -32002, -32003])

/** Returns whether a retry is pointless after an error of JSON-RPC: the request is invalid, or the node does not have the data. */
export const isFinalCode = (code: number): boolean => FINAL_CODES.has(code)

/** Returns whether a retry is pointless after a status of HTTP: the request is at fault, and not because of when it came. */
export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429
