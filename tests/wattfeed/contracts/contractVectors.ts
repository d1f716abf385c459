import { decodeHex, encodeHex } from '@wattfeed/base'
import { createRandom } from '@wattfeed/testing/random'
import { ContractProofError } from 'wattfeed/series'
import {
  type ContractCase,
  type ContractPin,
  type ContractQuestion,
  type ContractRoot,
  casesOf,
  createLargeCases,
  createTrees,
  outcomeOf,
} from './contractCases.ts'
import { readContractProof } from './readContractProof.ts'

/** A case by the places of its parts, and what the verifier of TypeScript says. */
export type VectorCase = readonly [
  pin: number,
  root: number,
  question: number,
  proof: number,
  outcome: string,
]

/** The parts of cases, each once, and the cases. */
export interface Vectors {
  readonly origin: string
  readonly pins: readonly ContractPin[]
  readonly roots: readonly ContractRoot[]
  readonly questions: readonly ContractQuestion[]
  readonly proofs: readonly string[]
  readonly cases: readonly VectorCase[]
}

/** What the verifier of TypeScript refuses, whatever the contract calls it. */
const REFUSED = 'refused'

const outcome = ({ pin, root, question, proof }: ContractCase): string => {
  const leaf = readContractProof(proof, pin, root, question)
  return leaf === null ? REFUSED : outcomeOf(leaf, pin)
}

/** Numbers equal items in the order of their first use. */
class Places<T> {
  readonly items: T[] = []
  readonly #places = new Map<string, number>()

  of(item: T): number {
    const key = JSON.stringify(item)
    const place = this.#places.get(key) ?? this.items.push(item) - 1
    this.#places.set(key, place)
    return place
  }
}

/** Collects cases with what the verifier says about each. */
export function collect(origin: string, cases: Iterable<ContractCase>): Vectors {
  const [pins, roots] = [new Places<ContractPin>(), new Places<ContractRoot>()]
  const [questions, proofs] = [new Places<ContractQuestion>(), new Places<string>()]
  const placed = Array.from(cases, (each): VectorCase => {
    const { pin, root, question, proof } = each
    return [pins.of(pin), roots.of(root), questions.of(question), proofs.of(encodeHex(proof)), outcome(each)]
  })
  return {
    ...{ origin, pins: pins.items, roots: roots.items, questions: questions.items, proofs: proofs.items },
    cases: placed,
  }
}

/** Invented cases, of every kind of value and of every statement. */
export function* inventedCases(): Generator<ContractCase> {
  for (const { tree } of createTrees())
    for (const index of tree.leaves.keys().filter((each) => isChosen(each, tree.size)))
      for (const [unit, decimals] of unitsOf(tree.leaves[index]?.unit ?? null))
        yield* casesOrNone(() => casesOf(tree, index, unit, decimals))
  yield* createLargeCases()
}

/** Of 1,000 leaves some, and the last of each series, which has 50. */
const isChosen = (index: number, size: number): boolean => size < 100 || index % 23 === 0 || index % 50 === 49

const unitsOf = (unit: string | null): [string | null, number][] => [
  [unit, 2],
  [unit, 18],
  ['another unit', 4],
]

/** A text that no contract takes has no proof. */
function casesOrNone(create: () => ContractCase[]): ContractCase[] {
  try {
    return create()
  } catch (error) {
    if (error instanceof ContractProofError) return []
    throw error
  }
}

/** A mutant: the parts of other cases, edits of the proof (place, number of removed bytes, hex of inserted ones), and the verdict. */
export type Mutant = readonly [
  ...parts: readonly [pin: number, root: number, question: number, proof: number],
  edits: string,
  outcome: string,
]

/** Yields mutants of the cases, without end. Each of them is of the same seed, so fewer are the first of more. */
export function* mutantsOf({ pins, roots, questions, proofs, cases }: Vectors): Generator<Mutant> {
  const random = createRandom(1)
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  for (;;) {
    const base = pick(cases)
    const parts: [number, number, number, number] = [base[0], base[1], base[2], base[3]]
    // Parts of another case: another pin, root, question or proof. Often those of a case with the same root.
    const others = random() < 0.7 ? cases.filter((other) => other[1] === base[1]) : cases
    for (let changes = below(3); changes > 0; changes--) {
      const part = below(4)
      parts[part] = pick(others)[part] as number
    }
    let bytes = decodeHex(proofs[parts[3]] ?? '', 'proof')
    const edits: string[] = []
    for (let changes = below(3); changes > 0; changes--) {
      const edit = inside(editOf(bytes, below), bytes.length)
      bytes = applyEdit(bytes, edit)
      edits.push(edit)
    }
    const [pin, root, question] = [pins[parts[0]], roots[parts[1]], questions[parts[2]]]
    if (pin === undefined || root === undefined || question === undefined)
      throw new RangeError('no such part')
    yield [...parts, edits.join(','), outcome({ pin, root, question, proof: bytes })]
  }
}

/** Edits one to three bytes, or whole hashes; near the start most often, because most of a proof is hashes. */
function editOf(bytes: Uint8Array, below: (count: number) => number): string {
  const place = below(below(2) === 0 ? Math.min(48, bytes.length + 1) : bytes.length + 1)
  const randomHex = (count: number) =>
    encodeHex(Uint8Array.from({ length: count }, () => pickByte(bytes, below)))
  const kinds = [
    () => `${place}:1:${randomHex(1)}`,
    () => `${place}:1:${encodeHex(Uint8Array.of((bytes[place] ?? 0) ^ (1 << below(8))))}`,
    () => `${place}:${1 + below(3)}:${randomHex(below(4))}`,
    () => `${place}:0:${randomHex(1 + below(3))}`,
    // The last hashes are whole at a multiple of 32 from the end.
    () =>
      `${bytes.length - 32 * below(4)}:${32 * below(3)}:${below(2) === 0 ? '' : encodeHex(bytes.slice(-32))}`,
    () => `${place}:${bytes.length}:`,
    // The bytes of the index.
    () => `1:1:${encodeHex(Uint8Array.of(((bytes[1] ?? 0) + below(5) - 2) & 255))}`,
    // A unit that is the pinned one and travels, and other plain texts in place of a length and its text.
    () => `${place}:${(bytes[place] ?? 0) + 1}:${pickText(below)}`,
  ]
  const kind = kinds[below(kinds.length)]
  return kind === undefined ? '' : kind()
}

/** Returns an edit that starts and ends inside of a proof. */
function inside(edit: string, length: number): string {
  const [place = '', removed = '', inserted = ''] = edit.split(':')
  const start = Math.max(0, Math.min(length, Number(place)))
  return `${start}:${Math.min(length - start, Number(removed))}:${inserted}`
}

const pickByte = (bytes: Uint8Array, below: (count: number) => number): number =>
  below(2) === 0 ? below(256) : (bytes[below(bytes.length)] ?? 0)

function pickText(below: (count: number) => number): string {
  const texts = ['2026-08', '17.4', 'w', '', 'a"b', '\\', '\0', 'é', '1e5', '","value":"1']
  const text = new TextEncoder().encode(texts[below(texts.length)])
  return encodeHex(Uint8Array.of(text.length, ...text))
}

function applyEdit(bytes: Uint8Array, edit: string): Uint8Array {
  const [place = '', removed = '', inserted = ''] = edit.split(':')
  const start = Number(place)
  const end = start + Number(removed)
  return Uint8Array.of(...bytes.slice(0, start), ...decodeHex(inserted, 'edit'), ...bytes.slice(end))
}
