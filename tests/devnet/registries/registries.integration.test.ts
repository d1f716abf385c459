import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { itemKey, verifyDictionaryItem } from '@wattfeed/casper'
import { decodeDictionaryItem, decodeStoredValue } from '@wattfeed/casper/types'
import { apiErrors } from '../../../packages/casper-devnet/src/engine/apiErrors.ts'
import { blockInformationFunctions } from '../../../packages/casper-devnet/src/engine/hostFunctions/blockInformation.ts'
import { cryptoFunctions } from '../../../packages/casper-devnet/src/engine/hostFunctions/crypto.ts'
import { dictionaryFunctions } from '../../../packages/casper-devnet/src/engine/hostFunctions/dictionaries.ts'
import type { HostFunction } from '../../../packages/casper-devnet/src/engine/hostFunctions/hostFunction.ts'
import { storageFunctions } from '../../../packages/casper-devnet/src/engine/hostFunctions/storage.ts'
import { type ComparedRead, compareReads } from './compareReads.ts'
import { listRecordedCalls } from './recordedCalls.ts'
import { leftOut, recordedReads } from './recordedReads.ts'
import { type Replay, replay } from './replay.ts'

/*
 * The embedded chain runs our contracts, and is compared with a real node's recordings of a chain with similar
 * contracts. fixtures/README.md states what is compared and what is omitted.
 */

const calls = listRecordedCalls()
const notes = (reads: readonly ComparedRead[], isEqual: boolean): string[] =>
  reads.filter((each) => each.isEqual === isEqual).map(({ note }) => note)

describe('the recorded calls, repeated', () => {
  let replayed: Replay
  let reads: ComparedRead[]
  beforeAll(async () => {
    replayed = await replay(calls)
    reads = await compareReads(replayed)
  })

  test('default: all items, events, packages and contracts equal the recorded ones', () => {
    expect(notes(reads, false)).toEqual([])
    expect(reads).toHaveLength(recordedReads.length - 1)
    expect(leftOut).toBe('AttestationRegistry.__events[38]')
  })

  test('default: the calls succeed and fail like the recorded ones', () => {
    expect(replayed.executed.map(({ errorMessage }) => errorMessage)).toEqual(
      calls.map(({ errorMessage }) => errorMessage),
    )
  })

  test('behavior: no other item is written, except for the connections of the contracts', () => {
    const recorded = foundItems(reads)
    const [feeds, attestations] = ['FeedRegistry.count', 'AttestationRegistry.total'].map(
      (note) => recorded.find(({ what }) => what === note)?.seedUref,
    )
    const wiring = [
      `${feeds} ${itemKey(6)}`, // eligibility_gate
      `${attestations} ${itemKey(6)}`, // feed_registry
      `${attestations} ${itemKey(7)}`, // feed_registry_seed, which the recorded contracts did not have
    ]
    expect(writtenItems(replayed).sort()).toEqual(
      [...recorded.map(({ seedUref, itemKey }) => `${seedUref} ${itemKey}`), ...wiring].sort(),
    )
  })

  test('behavior: each item has a valid proof', async () => {
    const root = memberAt(await replayed.answer('chain_get_state_root_hash', {}), 'result')
    const items = foundItems(reads)
    expect(items.length).toBeGreaterThan(300)
    for (const { seedUref, itemKey, what, merkleProof, stored } of items)
      expect(
        verifyDictionaryItem({
          seedUref,
          itemKey,
          what,
          merkleProof,
          stateRootHash: String(memberAt(root, 'state_root_hash')),
        }),
      ).toMatchObject({ CLValue: { bytes: stored } })
  })
})

/** Every existing dictionary item that was read. */
function foundItems(reads: readonly ComparedRead[]) {
  return reads.flatMap(({ note, params, answer }) => {
    const { URef } = Object(memberAt(params, 'dictionary_identifier'))
    if (URef === undefined || 'error' in answer) return []
    return {
      what: note,
      seedUref: String(URef.seed_uref),
      itemKey: String(URef.dictionary_item_key),
      merkleProof: String(memberAt(answer.result, 'merkle_proof')),
      stored: memberAt(answer.result, 'stored_value', 'CLValue', 'bytes'),
    }
  })
}

const DICTIONARY_TAG = '09'

/** Every dictionary item that was written: its seed and its key. */
function writtenItems({ writes }: Replay): string[] {
  return [...writes].flatMap(([key, stored]) => {
    if (stored === null || !key.startsWith(DICTIONARY_TAG)) return []
    const value = decodeStoredValue(stored)
    if (value.kind !== 'CLValue') throw new Error(`${key} is no dictionary item`)
    const { seed, itemKey } = decodeDictionaryItem(value.value)
    return [`uref-${seed.toHex()}-007 ${new TextDecoder().decode(itemKey)}`]
  })
}

/** Returns the differences found on a slightly different chain. */
const findDifferences = async (clockOffsetMs = 0): Promise<string[]> =>
  notes(await compareReads(await replay(calls, clockOffsetMs)), false)

describe('the comparison', () => {
  const isTimed = (note: string): boolean =>
    /^AttestationRegistry\.(latest|history|__events)\[/.test(note) && !note.includes('UNREGISTERED')

  test.each([-1, 1])(
    'behavior: a clock deviation of %i ms is detected in everything that has a time',
    async (offset) => {
      const found = recordedReads.filter(({ note, answer }) => isTimed(note) && 'result' in answer)
      const expected = found.map(({ note }) => note).filter((note) => note !== leftOut)
      expect((await findDifferences(offset)).sort()).toEqual(expected.sort())
    },
  )

  test.each([
    ['generic_hash takes SHA-256', cryptoFunctions.generic_hash, withSha256, 316],
    ['get_blocktime tells seconds', blockInformationFunctions.get_blocktime, withSeconds, 140],
    ['dictionary_read finds nothing', dictionaryFunctions.dictionary_read, () => findNothing, 184],
    ['write stores nothing', storageFunctions.write, () => () => undefined, 96],
  ] as [string, HostFunction, (run: Run) => Run, number][])(
    'behavior: it shows where %s',
    async (_, hostFunction, change, differences) => {
      const changed = change(hostFunction.run)
      using _spy = spyOn(hostFunction, 'run').mockImplementation(changed)
      expect(await findDifferences()).toHaveLength(differences)
    },
  )
})

type Run = HostFunction['run']

const findNothing: Run = () => apiErrors.ValueNotFound

const SHA_256 = 2

function withSha256(run: Run): Run {
  return (runtime, pointer, size, _, ...out) => run(runtime, pointer, size, SHA_256, ...out)
}

function withSeconds(run: Run): Run {
  return (runtime, ...args) => {
    const { execution } = runtime
    const block = { ...execution.block, timeMs: Math.floor(execution.block.timeMs / 1_000) * 1_000 }
    return run({ ...runtime, execution: { ...execution, block } }, ...args)
  }
}
