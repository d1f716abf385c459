import type { Chainspec } from '../../chainspec.ts'
import { decodeModule, type SourceBody } from './decodeModule.ts'
import type { InstrumentedModule } from './instrumentedModule.ts'
import { createMeteredFunction } from './meteredFunction.ts'
import { createOpcodeCosts } from './opcodeCosts.ts'
import { opcodes } from './opcodes.ts'

/** No function has this index, so nothing is inserted. */
const NOWHERE = 0xffff_ffff

/** Decodes the code of a contract, from which it installs other contracts. It was instrumented before it was stored. */
export function decodeStored(wasm: Uint8Array, { wasm: { v1 } }: Chainspec): InstrumentedModule {
  const source = decodeModule(wasm, createOpcodeCosts(v1.opcode_costs))
  const imported = source.imports.filter(({ kind }) => kind === 'function').length
  const stack = {
    costs: Array<number>(imported + source.functions.length).fill(0),
    heightGlobal: 0,
    limit: 0,
  }
  const metering = { gasFunction: NOWHERE, growFunction: NOWHERE, stack }
  return {
    ...source,
    functions: source.bodies.map((body, index) =>
      createMeteredFunction(asIs(body), source.functions[index] ?? 0, metering),
    ),
    stack,
  }
}

/** Returns a function without what would be replaced: its charges, and its growth of the memory. */
function asIs(body: SourceBody): SourceBody {
  const marks: number[] = []
  for (let index = 0; index < body.marks.length; index += 2) {
    const [offset = 0, operand = 0] = body.marks.slice(index, index + 2)
    if (body.code[offset] !== opcodes.memoryGrow) marks.push(offset, operand)
  }
  return { ...body, marks, charges: [] }
}
