import { createByteWriter } from '@wattfeed/base'
import { encodeClValue } from '@wattfeed/casper/testing/encodeClValue'
import { writeEntryPoint, writeNamedKeys } from '@wattfeed/casper/testing/internals'
import { type ClType, keyTags } from '@wattfeed/casper/types'
import { cl } from '../../src/index.ts'
import { encodeHostCalls, type HostCall, OUT, text } from './engine/hostCalls.ts'

// Addresses of what the module has in its memory.
const CONTRACT = 0
const PACKAGE = 40
const NAMED_KEYS = 80
const COUNT_KEY = 130
const RETURNED = 170

const COUNT = 'count'
const zeroUref = new Uint8Array(33)
const namedKeys = writeNamedKeys(
  createByteWriter(),
  new Map([[COUNT, Uint8Array.of(keyTags.uref, ...zeroUref)]]),
).finish()
const urefInNamedKeys = NAMED_KEYS + namedKeys.length - zeroUref.length

/**
 * Returns the module of a plain counter, in place of one that `casper-contract` would compile: it makes the same calls of host
 * functions as Casper's tutorial. The account gets the named keys `counter` and `counter_package`, and the contract has the key `count`.
 */
export function encodePlainCounter(): Uint8Array {
  const data = new Uint8Array(RETURNED + 9)
  data[CONTRACT] = keyTags.hash
  data[PACKAGE] = keyTags.hash
  data.set(namedKeys, NAMED_KEYS)
  data.set(encodeClValue(cl.i32(0)), RETURNED)
  const getCount: HostCall = { name: 'get_key', args: [text(COUNT), COUNT_KEY, 34, OUT] }
  return encodeHostCalls(
    [
      { name: 'new_uref', args: [urefInNamedKeys, encodeClValue(cl.i32(0))] },
      { name: 'create_contract_package_at_hash', args: [PACKAGE + 1, OUT, 0] },
      {
        name: 'add_contract_version',
        args: [
          ...[PACKAGE + 1, 32, OUT, encodeEntryPoints({ count_inc: 'Unit', count_get: 'I32' })],
          ...[NAMED_KEYS, namedKeys.length, CONTRACT + 1, 32, OUT],
        ],
      },
      { name: 'put_key', args: [text('counter'), CONTRACT, 33] },
      { name: 'put_key', args: [text('counter_package'), PACKAGE, 33] },
    ],
    {
      entryPoints: {
        count_inc: [getCount, { name: 'add', args: [COUNT_KEY, 34, encodeClValue(cl.i32(1))] }],
        count_get: [
          getCount,
          { name: 'read_value', args: [COUNT_KEY, 34, OUT] },
          { name: 'read_host_buffer', args: [RETURNED + 4, 4, OUT] },
          { name: 'ret', args: [RETURNED, 9] },
        ],
      },
      data,
    },
  )
}

/** Entry points with their result. The map of an older node has each name twice. */
function encodeEntryPoints(results: Readonly<Record<string, ClType>>): Uint8Array {
  const writer = createByteWriter().u32(Object.keys(results).length)
  for (const [name, ret] of Object.entries(results))
    writeEntryPoint(writer.string(name), {
      name,
      args: [],
      ret,
      access: 'Public',
      entry_point_type: 'Called',
    })
  return writer.finish()
}
