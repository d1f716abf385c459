import { createByteWriter, encodeU64 } from '@wattfeed/base'
import type { Execution } from '../callContext.ts'
import { ExecutionError } from '../executionError.ts'
import { costOf, type HostFunctions } from './hostFunction.ts'

/** The functions by which code learns in which block it runs. */
export const blockInformationFunctions: HostFunctions = {
  get_blocktime: {
    parameters: 1,
    hasResult: false,
    cost: costOf('get_blocktime'),
    run({ memory, execution }, pointer) {
      memory.writeU64(pointer, execution.block.timeMs)
      return undefined
    },
  },
  get_block_info: {
    parameters: 2,
    byteParameter: 0,
    hasResult: false,
    cost: costOf('get_block_info'),
    run({ memory, execution }, field, pointer) {
      const encode = fields[field]
      if (encode === undefined) throw new ExecutionError('The imputed operation is invalid')
      memory.write(pointer, encode(execution))
      return undefined
    },
  },
}

/** By the number of a field: time, height, parent hash, state root, protocol version, whether there are addressable entities. */
const fields: readonly ((execution: Execution) => Uint8Array)[] = [
  ({ block }) => encodeU64(block.timeMs),
  ({ block }) => encodeU64(block.height),
  ({ block }) => block.parentHash,
  ({ block }) => block.parentStateRoot,
  ({ chainspec }) => {
    const [major, minor, patch] = chainspec.protocol.version
    return createByteWriter(12).u32(major).u32(minor).u32(patch).finish()
  },
  ({ chainspec }) => Uint8Array.of(chainspec.core.enable_addressable_entity ? 1 : 0),
]
