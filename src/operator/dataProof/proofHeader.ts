import { Type } from '@sinclair/typebox'
import { DecodeError } from '../../bytes/cursor.ts'
import type { FeedProofBlock, ProvenAtBlock, ProvenRegistries } from '../../client/feedProof/feedProof.ts'
import { checkValue } from '../../runtime/readJsonFile.ts'
import type { ElementFile } from './elementFile.ts'

const KIND = 'wattfeed data set proof'

/** More than a proof has, which is at most 1,000 eras long. */
const MAX_SWITCH_BLOCKS = 2_000

/** A proof across 1,000 eras of 100 validators takes half of it. */
const MAX_BYTES = 64 * 1024 * 1024

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

/** Reads the lines before the elements. @throws {DecodeError} when they are not of a proof. */
export function readHeader(file: ElementFile): ProofHeader {
  const { registries, block, switch_blocks } = checkLine(FirstLine, file.nextJson())
  const blocks: FeedProofBlock[] = []
  while (blocks.length < switch_blocks) {
    blocks.push(checkLine(Block, file.nextJson()))
    if (file.offset() > MAX_BYTES)
      throw new DecodeError('data set proof', `its blocks have more than ${MAX_BYTES} bytes`)
  }
  return { registries, block, switch_blocks: blocks }
}

const checkLine = <T extends typeof FirstLine | typeof Block>(schema: T, value: unknown) =>
  checkValue(value, {
    schema,
    kind: 'the proof of a data set in format 1',
    cure: 'name the file that "export --proofs" wrote, or use a newer version of wattfeed',
    fail: (rule) => new DecodeError('data set proof', rule),
  })
