import { closeSync, openSync, readSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { DecodeError, encodeHex, jsonExcess, parseJson } from '@wattfeed/base'
import { hashTrieElement, type TrieElement } from '@wattfeed/casper'
import type { FeedProofBlock, ProvenAtBlock, ProvenRegistries } from 'wattfeed'
import { checkValue } from '../../runtime/readJsonFile.ts'
import { Elements, parseElement } from './elements.ts'

const KIND = 'wattfeed data set proof'

/** More than a proof has, which is at most 1,000 eras long. */
const MAX_SWITCH_BLOCKS = 2_000

/** A proof across 1,000 eras of 100 validators takes half of it. */
const MAX_HEADER_BYTES = 64 * 1024 * 1024

/** A block of a network takes at most 1 MB of JSON, and an element of the trie up to 11 MB of base64. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const CHUNK_BYTES = 256 * 1024

const NEWLINE = 10

const Block = Type.Object({
  header: Type.Object({}, { additionalProperties: true }),
  hash: Type.String(),
  proofs: Type.Array(Type.Unknown()),
})

const FirstLine = Type.Object({
  kind: Type.Literal(KIND),
  format: Type.Literal(1),
  registries: Type.Object({
    chain_name: Type.String(),
    feed_registry_package_hash: Type.String(),
    attestation_registry_package_hash: Type.String(),
  }),
  block: Block,
  switch_blocks: Type.Integer({ minimum: 0, maximum: MAX_SWITCH_BLOCKS }),
})

/** The lines of a proof before its elements: the block, and the switch blocks that prove it. */
export interface ProofHeader extends ProvenAtBlock {
  readonly registries: ProvenRegistries
}

/** The start of every proof of a data set. */
export const PROOF_START = `{"kind":"${KIND}"`

export function formatHeader({ registries, block, switch_blocks }: ProofHeader): string {
  const first = { kind: KIND, format: 1, registries, block, switch_blocks: switch_blocks.length }
  return [first, ...switch_blocks].map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Reads a proof line by line. Each line of an element is the next one that is needed. */
export class ProofFile {
  /** Those that were needed so far. */
  readonly elements = new Elements()
  /** Number of the next line, from 1. */
  lineNumber = 1
  readonly #descriptor: number
  readonly #lines: Generator<string, null>
  #next: string | null | undefined

  /** @throws the system's error */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    this.#lines = readLines(this.#descriptor)
  }

  /** Reads the lines before the elements. @throws {DecodeError} when they are not of a proof. */
  readHeader(): ProofHeader {
    const { registries, block, switch_blocks } = checkLine(FirstLine, this.#nextJson())
    const blocks: FeedProofBlock[] = []
    let length = 0
    while (blocks.length < switch_blocks) {
      length += this.#peek()?.length ?? 0
      if (length > MAX_HEADER_BYTES)
        throw new DecodeError('data set proof', `its blocks have more than ${MAX_HEADER_BYTES} bytes`)
      blocks.push(checkLine(Block, this.#nextJson()))
    }
    return { registries, block, switch_blocks: blocks }
  }

  /**
   * Returns the element with a hash, if it was read before or is on the next line; otherwise null.
   *
   * @throws {DecodeError} when the next line is not an element.
   */
  find(hash: string): TrieElement | null {
    const known = this.elements.find(hash)
    if (known !== null) return known
    const line = this.#peek()
    if (line === null) return null
    const bytes = parseElement(line)
    if (bytes === null) throw brokenLine(this.lineNumber, 'is not an element of the trie')
    if (encodeHex(hashTrieElement(bytes)) !== hash) return null
    this.#take()
    this.elements.add(bytes, hash)
    return this.elements.find(hash)
  }

  isAtEnd(): boolean {
    return this.#peek() === null
  }

  #nextJson(): unknown {
    const line = this.#peek()
    const isTooDeep = line !== null && jsonExcess(line, Number.POSITIVE_INFINITY) !== null
    const value = line === null || isTooDeep ? undefined : parseJson(line)
    if (value === undefined) throw brokenLine(this.lineNumber, line === null ? 'is missing' : 'is not JSON')
    this.#take()
    return value
  }

  #peek(): string | null {
    this.#next ??= this.#next === null ? null : this.#lines.next().value
    return this.#next
  }

  #take(): void {
    this.#next = undefined
    this.lineNumber += 1
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
    this.elements.clear()
  }
}

function* readLines(descriptor: number): Generator<string, null> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let held = Buffer.alloc(0)
  let number = 1
  const assertShort = (length: number): void => {
    if (length > MAX_LINE_BYTES) throw brokenLine(number, `is longer than ${MAX_LINE_BYTES} bytes`)
  }
  for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
    held = Buffer.concat([held, chunk.subarray(0, size)])
    let start = 0
    for (;;) {
      const end = held.indexOf(NEWLINE, start)
      assertShort((end === -1 ? held.length : end) - start)
      if (end === -1) break
      yield held.toString('utf8', start, end)
      start = end + 1
      number += 1
    }
    held = held.subarray(start)
  }
  if (held.length > 0) throw brokenLine(number, 'is cut off')
  return null
}

const brokenLine = (number: number, rule: string): DecodeError =>
  new DecodeError('data set proof', `line ${number} ${rule}`)

const checkLine = <T extends typeof FirstLine | typeof Block>(schema: T, value: unknown) =>
  checkValue(value, {
    schema,
    kind: 'the proof of a data set in format 1',
    cure: 'name the file that "export --proofs" wrote, or use a newer version of wattfeed',
    fail: (rule) => new DecodeError('data set proof', rule),
  })
