import { memberAt } from '@wattfeed/base'
import type { RpcAnswer } from '@wattfeed/casper-devnet'
import type { Exchange } from '@wattfeed/casper-devnet/testing/exchange'
import { readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { list, u32, u64 } from '@wattfeed/testing/bytesrepr'
import { UNREGISTERED } from './recordedCalls.ts'

/** A read of the registries, and a node's answer. */
export interface Read {
  /** Description of the read. */
  note: string
  method: string
  params: unknown
  answer: RpcAnswer
}

/** Every recorded read of the registries. */
export const recordedReads: readonly Read[] = ['snapshot', 'history', 'events']
  .flatMap((name) => readRecording(name))
  .flatMap(readOf)

function readOf({ note, method, params, ...exchange }: Exchange): Read[] {
  const answer = 'error' in exchange ? { error: exchange.error } : { result: exchange.result }
  return note === undefined ? [] : [{ note, method, params, answer }]
}

/** Returns the recorded read with this note. Throws if there is none. */
export function recordedRead(note: string): Read {
  const read = recordedReads.find((each) => each.note === note)
  if (read === undefined) throw new Error(`nothing recorded as ${note}`)
  return read
}

const isAttested = ({ note }: Read): boolean => note.startsWith('AttestationRegistry.__events[')
const attested = recordedReads.filter(isAttested)
const unregisteredHex = Buffer.from(UNREGISTERED).toString('hex')

/** The index in the log of the only event that our contracts do not write. */
const refused = attested.findIndex(({ answer }) => JSON.stringify(answer).includes(unregisteredHex))

/** The note of the recorded read of that event, which has no counterpart on a chain with our contracts. */
export const leftOut: string | undefined = attested[refused]?.note

/**
 * The recorded reads, with the answers of a node that ran our contracts. These reject one attestation, so later events are
 * one index earlier. Each contract also has one entry point more.
 */
export function listExpectedReads(): Read[] {
  const shifted = new Set(attested.slice(refused + 1))
  return recordedReads
    .filter(({ note }) => note !== leftOut)
    .map((read) => ({
      ...read,
      params: shifted.has(read) ? oneEarlier(read.params) : read.params,
      answer: changedAnswer(read),
    }))
}

function oneEarlier(params: unknown): unknown {
  const text = JSON.stringify(params, (name, value) =>
    name === 'dictionary_item_key' ? String(Number(value) - 1) : value,
  )
  return JSON.parse(text)
}

interface EntryPoint {
  name: string
  args: object[]
  ret: unknown
  access: unknown
  entry_point_type: string
}

/** The changed parts of a node's output for a stored value. */
interface StoredValue {
  Contract: { entry_points: EntryPoint[] }
  CLValue: { bytes: string; parsed: unknown }
}

/** The stored values in which our contracts differ, with the change of each. */
const changes: Readonly<Record<string, (stored: StoredValue) => void>> = {
  'FeedRegistry contract': ({ Contract }) => grow(Contract, 'state_seed', [], { Option: { ByteArray: 32 } }),
  'AttestationRegistry contract': ({ Contract }) =>
    grow(Contract, 'attest_many', [{ name: 'attestations', cl_type: { List: 'Any' } }], 'Unit'),
  'AttestationRegistry.total'({ CLValue }) {
    const total = attested.length - 2 // without the rejected event and the read past the end
    CLValue.bytes = list(u64(total))
    CLValue.parsed = [...Buffer.from(u64(total), 'hex')]
  },
  'AttestationRegistry.__events_length'({ CLValue }) {
    CLValue.bytes = u32(attested.length - 2)
    CLValue.parsed = attested.length - 2
  },
}

/** Adds one entry point, and removes the argument from the declaration of `upgrade`, because it is optional. */
function grow(contract: StoredValue['Contract'], name: string, args: object[], ret: unknown): void {
  const added = { name, args, ret, access: 'Public', entry_point_type: 'Called' }
  const kept = contract.entry_points.map((each) => (each.name === 'upgrade' ? { ...each, args: [] } : each))
  contract.entry_points = [...kept, added].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function changedAnswer({ note, answer }: Read): RpcAnswer {
  if (note === `AttestationRegistry.latest[${UNREGISTERED}]`)
    return recordedRead(`FeedRegistry.feeds[${UNREGISTERED}]`).answer
  const change = changes[note]
  if (change === undefined) return answer
  const copy = structuredClone(answer)
  change(Object(memberAt(copy, 'result', 'stored_value')))
  return copy
}
