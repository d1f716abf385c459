import { chainspecs } from '../../packages/casper-devnet/src/chainspec.ts'
import { ExecutionError } from '../../packages/casper-devnet/src/engine/executionError.ts'
import { decodeModule } from '../../packages/casper-devnet/src/engine/wasm/decodeModule.ts'
import { createOpcodeCosts } from '../../packages/casper-devnet/src/engine/wasm/opcodeCosts.ts'
import { opcodes } from '../../packages/casper-devnet/src/engine/wasm/opcodes.ts'
import { skipInstruction } from '../../packages/casper-devnet/src/engine/wasm/skipInstruction.ts'

/**
 * Returns a feature of a module beyond the first version of WebAssembly, or null. The embedded chain decodes modules like
 * a node, which rejects all later features except sign extension.
 */
export function findLaterFeature(wasm: Uint8Array): string | null {
  try {
    const { tables, memories, bodies } = decodeModule(
      wasm,
      createOpcodeCosts(chainspecs['2.2.2'].wasm.v1.opcode_costs),
    )
    if (tables.length > 1 || memories.length > 1) return 'several tables or memories'
    return bodies.some(({ code }) => extendsSigns(code)) ? 'sign extension' : null
  } catch (error) {
    if (error instanceof ExecutionError) return error.message
    throw error
  }
}

function extendsSigns(code: Uint8Array): boolean {
  for (let offset = 0; offset < code.length; offset = skipInstruction(code, offset))
    if ((code[offset] ?? 0) >= opcodes.i32Extend8S) return true
  return false
}
