import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { type Cursor, createByteWriter, encodeHex, encodeString } from '@wattfeed/base'
import { readAddress, readNumber } from '@wattfeed/casper'
import { clAddress } from '@wattfeed/casper/types'
import type { DatasetSeries } from '@wattfeed/dataset'
import { boardFields } from './layout.ts'
import type { FieldRequest } from './rootReader.ts'

/** A series as a contract pins it: `Series` of the crate. */
export interface PinnedSeries extends DatasetSeries {
  readonly unit: string | null
  readonly decimals: number
}

/** What a board keeps: `BoardValue` of the crate. */
export interface BoardValue {
  readonly period: string
  /** The value times 10^`decimals`. */
  readonly value: bigint
  readonly decimals: number
  /** 64 hex digits. */
  readonly root: string
  /** `account-hash-…` or `hash-…`. */
  readonly attester: string
  /** Epoch milliseconds. */
  readonly rootTimestamp: number
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** Encodes the argument `series` of a board's calls. */
export function encodePinnedSeries(series: PinnedSeries): Uint8Array {
  const { route, frequency, column, facets, unit, decimals } = series
  const writer = createByteWriter(256)
  const option = (text: string | null) => (text === null ? writer.u8(0) : writer.u8(1).string(text))
  writer.string(route).string(frequency).string(column)
  writer.list(Object.keys(facets).sort(), (id) => {
    writer.string(id)
    option(facets[id] ?? null)
  })
  option(unit)
  return writer.u8(decimals).finish()
}

/** Returns under what a board keeps the values of a series by the roots of an attester: 64 hex digits. */
export const boardIdOf = (attester: string, series: PinnedSeries): string =>
  encodeHex(blake2b(concatBytes(clAddress(attester).bytes, encodePinnedSeries(series)), { dkLen: 32 }))

/** The requests for the fields of a board. */
export const boardField = {
  /** The package of the AttestationRegistry that it reads. */
  attestationRegistry: {
    field: boardFields.location,
    what: 'registries',
    read(cursor: Cursor): string {
      readAddress(cursor)
      const registry = readAddress(cursor)
      if (cursor.u8() === 1) cursor.bytes(64)
      return registry
    },
  },
  /** @param period empty for the newest value of the series */
  value: (id: Uint8Array, period: string): FieldRequest<BoardValue> => ({
    field: boardFields.values,
    key: concatBytes(id, encodeString(period)),
    what: `values[${encodeHex(id)} ${period}]`,
    read: readBoardValue,
  }),
}

const readBoardValue = (cursor: Cursor): BoardValue => ({
  period: cursor.string(),
  value: BigInt.asIntN(64, cursor.u64()),
  decimals: cursor.u8(),
  root: encodeHex(cursor.bytes(32)),
  attester: readAddress(cursor),
  rootTimestamp: readNumber(cursor),
  timestamp: readNumber(cursor),
})
