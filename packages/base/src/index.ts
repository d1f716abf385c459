/**
 * What the packages of this repository share: the base class of their errors, waits and retries, times, and bytes. It is bundled
 * into each of them, and no package of its own.
 *
 * @module @wattfeed/base
 */
export { assertOptions, assertType, InvalidArgumentError, type OptionNames, pickOptions } from './argument.ts'
export { cacheRead, type ReadCache } from './async/cacheRead.ts'
export { lazy } from './async/lazy.ts'
export { type LimitedTime, limitTime } from './async/limitTime.ts'
export { readSequence, type Sequence } from './async/readSequence.ts'
export { pauseMs, retry } from './async/retry.ts'
export { createSharedRead } from './async/sharedRead.ts'
export { nextTask, sleep } from './async/sleep.ts'
export type { AbortSignalLike, Fetch } from './async/webTypes.ts'
export { addNewest } from './bytes/addNewest.ts'
export { type ByteWriter, createByteWriter, encodeString, encodeU32, encodeU64 } from './bytes/byteWriter.ts'
export { percentDecode, splitCredentials } from './bytes/credentials.ts'
export { type Cursor, createCursor, DecodeError, type DecodeErrorKind } from './bytes/cursor.ts'
export { decodeHex, encodeHex } from './bytes/hex.ts'
export { jsonExcess } from './bytes/jsonExcess.ts'
export { memberAt } from './bytes/memberAt.ts'
export { nameRow } from './bytes/nameRow.ts'
export { editDistance, nearestName } from './bytes/nearestName.ts'
export { type RefusalKind, readBytes, readText, uncompressed } from './bytes/readBody.ts'
export { authorizationSecrets, createRedact, urlSecrets } from './bytes/redact.ts'
export { parseRetryAfter } from './bytes/retryAfter.ts'
export { type DefinedError, defineError, type ErrorTraits } from './defineError.ts'
export { WattfeedError } from './errors.ts'
export { parseJson } from './parseJson.ts'
export { isSystemError, nullIfMissing, systemMessage, systemReason, writeCure } from './systemReason.ts'
export { DAY_MS, HOUR_MS } from './time.ts'
export { codeOfError, tlsFault } from './tlsFault.ts'
