import { encodeHex } from '@wattfeed/base'
import {
  type DatasetSeries,
  encodeKey,
  encodeLeaf,
  hashLeaf,
  type Leaf,
  nodesBeside,
  rootOfRun,
} from '@wattfeed/dataset'
import { readValue } from '@wattfeed/eia'
import type { ContractStatement } from 'wattfeed/series'
import { encodeContractProof } from '../../../packages/wattfeed/src/series/encodeContractProof.ts'
import { createMemoryTree, type MemoryTree } from './memoryTree.ts'

/** What a contract pins. */
export interface ContractPin extends DatasetSeries {
  readonly unit: string | null
  readonly decimals: number
}

export interface ContractRoot {
  readonly hash: string
  readonly size: number
  readonly period: number
}

export interface ContractQuestion {
  readonly statement: ContractStatement
  /** The named period; null for the others. */
  readonly period: string | null
}

/** A call of the crate: what is pinned, the root, the question and the bytes of the proof. */
export interface ContractCase {
  readonly pin: ContractPin
  readonly root: ContractRoot
  readonly question: ContractQuestion
  readonly proof: Uint8Array
}

const price = 'cents per kilowatt-hour'

const retail = (stateid: string | null, sectorid: string, column = 'price'): DatasetSeries => ({
  route: 'electricity/retail-sales',
  frequency: 'monthly',
  column,
  facets: { sectorid, stateid },
})

/** Invented values; most are numbers. The others are what EIA's data has, and what a contract may not take for a number. */
const TEXTS: readonly (string | null)[] = [
  ...['17.4', '8.67', '11.31', '.306', '12.3400', '0', '-37.63', '00.50', '7.'],
  ...[
    'w',
    'NA',
    '--',
    '*',
    '',
    ' ',
    null,
    '1e5',
    '1,234',
    '+5',
    '.12345',
    '9223372036854775808',
    'Withheld "x"',
  ],
]

const sorted = (leaves: readonly Leaf[]): Leaf[] =>
  leaves.toSorted((a, b) => Buffer.compare(encodeKey(a), encodeKey(b)))

/** An invented dataset of 1,000 values. */
function createRetailTree(): MemoryTree {
  const states = ['AK', 'CA', 'NY', null, 'US']
  const leaves: Leaf[] = []
  for (const column of ['price', 'sales'])
    for (const state of states)
      for (const sector of ['COM', 'RES'])
        for (let month = 0; month < 50; month++) {
          const period = `${2022 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
          const value = TEXTS[(leaves.length * 7) % TEXTS.length] ?? null
          const unit = leaves.length % 13 === 5 ? '$/kWh' : column === 'price' ? price : null
          leaves.push({ ...retail(state, sector, column), period, value, unit })
        }
  return createMemoryTree(sorted(leaves), 202602)
}

/** Texts that JSON escapes, and facets without a value. */
function createOddTree(): MemoryTree {
  const texts = ['a"b', 'a\\b', 'é–😀', 'a\u2028b', '\t\n\u000b\u001f', '/']
  const leaves = texts.flatMap((code): Leaf[] =>
    ['2026-Q1', '2026-Q2'].map((period) => ({
      ...{ route: 'steo', frequency: 'quarterly', column: code, facets: { a: null, b: code, 'c-1': null } },
      ...{ period, value: '1.5', unit: code },
    })),
  )
  return createMemoryTree(sorted(leaves), 202604)
}

/** Trees of few leaves, such as those whose roots are the same for two sizes. */
const smallTrees = (): MemoryTree[] =>
  [1, 2, 3, 4, 5, 7, 8].map((size) =>
    createMemoryTree(
      Array.from({ length: size }, (_, at) => ({
        ...retail('CA', 'COM'),
        period: `2026-0${at + 1}`,
        value: `${at}.5`,
        unit: price,
      })),
      Number(`20260${size}`),
    ),
  )

/** An attester that lies: it has not sorted, and has a key twice. */
function createUnsortedTree(): MemoryTree {
  const of = (stateid: string, period: string): Leaf => ({
    ...{ ...retail(stateid, 'COM'), period, value: '1', unit: price },
  })
  const leaves = [of('CA', '2026-02'), of('NY', '2026-01'), of('CA', '2026-01'), of('CA', '2026-01')]
  return createMemoryTree([...leaves, of('AK', '2026-01'), of('US', '2026-01')], 202602)
}

export interface TreeCases {
  readonly tree: MemoryTree
  readonly root: ContractRoot
}

export function createTrees(): TreeCases[] {
  const trees = [createRetailTree(), createOddTree(), ...smallTrees(), createUnsortedTree()]
  return trees.map((tree) => ({ tree, root: { hash: tree.root, size: tree.size, period: tree.period } }))
}

const seriesOf = ({ route, frequency, column, facets }: Leaf): DatasetSeries => ({
  ...{ route, frequency, column, facets },
})

/** The questions that a leaf of a tree may answer, each with a proof. Those that it does not answer are there, too. */
export function casesOf(
  tree: MemoryTree,
  index: number,
  unit: string | null,
  decimals: number,
): ContractCase[] {
  const leaf = tree.leaves[index]
  if (leaf === undefined) throw new RangeError(`no leaf ${index}`)
  const pin = { ...seriesOf(leaf), unit, decimals }
  const root = { hash: tree.root, size: tree.size, period: tree.period }
  const next = tree.leaves[index + 1] ?? null
  const proofOf = (following: Leaf | null): Uint8Array =>
    encodeContractProof({
      ...{ index, leaf, next: following, unit },
      hashes: tree.hashesBeside(index, index + (following === null ? 1 : 2)),
    })
  const alone = proofOf(null)
  return [
    { pin, root, question: { statement: 'value_of', period: leaf.period }, proof: alone },
    { pin, root, question: { statement: 'newest_period', period: null }, proof: alone },
    { pin, root, question: { statement: 'newest_value', period: null }, proof: proofOf(next) },
  ]
}

/** A tree of two million leaves of which only the first two of these, and hashes beside them, are invented. */
export function createLargeCases(): ContractCase[] {
  const size = 2_000_000
  const pin = { ...retail('CA', 'COM'), unit: price, decimals: 2 }
  const leaf: Leaf = { ...retail('CA', 'COM'), period: '2026-08', value: '17.40', unit: price }
  const next: Leaf = { ...retail('CA', 'IND'), period: '2021-09', value: '14.02', unit: price }
  const caseOf = (index: number, following: Leaf | null, question: ContractQuestion): ContractCase => {
    const leaves = following === null ? [leaf] : [leaf, following]
    const beside = nodesBeside({ first: index, past: index + leaves.length }, size)
    const hashes = beside.map(({ start }) => hashLeaf(new TextEncoder().encode(`invented ${start}`)))
    const hash = rootOfRun(
      index,
      leaves.map((each) => hashLeaf(encodeLeaf(each))),
      size,
      hashes,
    )
    const proof = encodeContractProof({
      ...{ index, leaf, next: following, unit: price },
      hashes: hashes.map((each) => encodeHex(each)),
    })
    return { pin, root: { hash: encodeHex(hash ?? new Uint8Array()), size, period: 202608 }, question, proof }
  }
  return [
    caseOf(1_234_566, null, { statement: 'value_of', period: '2026-08' }),
    caseOf(1_234_566, null, { statement: 'newest_period', period: null }),
    caseOf(1_234_566, next, { statement: 'newest_value', period: null }),
    // An index that ends with seven ones.
    caseOf(1_234_559, next, { statement: 'newest_value', period: null }),
  ]
}

const MAX_I64 = 2n ** 63n

/** What the crate says about a leaf that is proven: the scaled value, or the name of an error. */
export function outcomeOf({ value, unit }: Leaf, pin: ContractPin): string {
  if (value === null) return 'Withheld'
  if (value.trim() === '') return 'EmptyValue'
  if (isWithheld(value)) return 'Withheld'
  if (unit !== pin.unit) return 'OtherUnit'
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(?=\.?\d)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(value) ?? []
  if (whole + fraction === '') return 'NotANumber'
  if (exponent !== undefined) return 'Exponent'
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > pin.decimals) return 'TooManyDigits'
  const scaled = BigInt(`${sign}${whole}${digits.padEnd(pin.decimals, '0')}`.replace(/^-?$/, '0'))
  return scaled >= -MAX_I64 && scaled < MAX_I64 ? String(scaled) : 'TooManyDigits'
}

function isWithheld(value: string): boolean {
  try {
    return readValue(value) === null
  } catch {
    return false
  }
}
