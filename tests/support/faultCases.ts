import { always, type FaultPlan, onStateReads } from '@wattfeed/casper-devnet/testing/faultPlan'
import type { Fault } from '@wattfeed/casper-devnet/testing/faults'
import * as faults from '@wattfeed/casper-devnet/testing/faults'

/** A deadline after all attempts, to make the error independent of the machine's speed. */
export const patientMs = 120_000

/** A fault of a node, and the error message for it. */
export interface FaultCase {
  name: string
  fault: Fault
  /** Applies the fault to every possible call. */
  plan: FaultPlan
  says: RegExp
  /** Timeout of one attempt: short if the fault is a delay. */
  timeoutMs: number
}

const transport = (name: string, fault: Fault, says: RegExp, timeoutMs = 5_000): FaultCase => ({
  name,
  fault,
  plan: always(fault),
  says,
  timeoutMs,
})

const state = (name: string, fault: Fault, says: RegExp): FaultCase => ({
  ...transport(name, fault, says),
  plan: onStateReads(fault),
})

const short = 60

/** Faults of any method. */
const transportFaults: readonly FaultCase[] = [
  transport('HTTP 500', faults.http500, /HTTP 500/),
  transport('429 with Retry-After: 0', faults.http429('0'), /HTTP 429/),
  transport('429 with a Retry-After of a day', faults.http429('86400'), /HTTP 429/),
  transport(
    '429 with a Retry-After that is a date',
    faults.http429('Thu, 01 Jan 1970 00:00:00 GMT'),
    /HTTP 429/,
  ),
  transport('429 with a Retry-After that says nothing', faults.http429('soon'), /HTTP 429/),
  transport('429 without Retry-After', faults.http429(null), /HTTP 429/),
  transport('HTML with 200', faults.html, /not JSON/),
  transport('truncated JSON', faults.truncatedJson, /not JSON/),
  transport('a body shorter than announced', faults.cutBody, /connection|not JSON/),
  transport('hanging forever', faults.hang, /timed out/, short),
  transport('hanging in the body', faults.hangInBody, /timed out/, short),
  transport('connection reset', faults.connectionReset, /connection/),
  transport('an endless body', faults.endlessBody, /larger than/),
  transport('an announced terabyte', faults.hugeContentLength, /larger than/),
  transport('a body that unpacks to 32 MiB', faults.gzipBomb, /larger than/),
  transport('a body that unpacks to 128 MiB', faults.brotliBomb, /larger than/),
  transport(
    'a body that goes on after its announced length',
    faults.shortLengthAndChunks,
    /larger than|connection/,
  ),
  transport('a body of half a megabyte of brackets', faults.deepJson, /nested deeper than|larger than/),
  transport('a body of 30,000 members', faults.manyMembers, /larger than 16384 object members|larger than/),
  transport('a JSON-RPC error that repeats the request', faults.echoInError, /-32603/),
  transport('a long JSON-RPC error that repeats the request', faults.echoAtCut, /-32603/),
  transport('a page that repeats the request', faults.echoInPage, /HTTP 500/),
  transport('a JSON-RPC error', faults.internalError, /-32603.*storage is on fire/),
  transport('a null result', faults.nullResult, /has no result/),
  transport('a wrong id', faults.wrongId, /does not match the request/),
]

/** Faults of the stored bytes and of the state root. */
const stateFaults: readonly FaultCase[] = [
  state('an unknown state root', faults.unknownRoot, /-32012/),
  state('garbage bytes in a CLValue', faults.garbageBytes('deadbeef'), /decode/),
  state('an empty CLValue', faults.garbageBytes(''), /decode/),
  state('a CLValue that is not hex', faults.garbageBytes('zz'), /decode/),
  state('a stored value of another kind', faults.otherResult({ stored_value: { Account: {} } }), /decode/),
  state('a result that is no object', faults.otherResult('hello'), /decode/),
]

export const faultCases: readonly FaultCase[] = [...transportFaults, ...stateFaults]
