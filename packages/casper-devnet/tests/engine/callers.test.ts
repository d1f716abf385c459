import { expect, test } from 'bun:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter, encodeU64 } from '@wattfeed/base'
import { hashKey } from '@wattfeed/casper/types'
import { blake2b } from '../../src/blake2b.ts'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { namedKeyOf, parent } from '../support/engine/engineChain.ts'
import { type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import { account, foreignUref, mainPurse, OUTPUT, useAccountSession } from './support/accountSession.ts'
import { CONTRACT, keepKey, PACKAGE, runContractSession } from './support/contractSession.ts'

const session = useAccountSession()
const { errorOf, effectsOf, outputOf } = session

/** Fetches the result of the last call. */
const take = (size: number): HostCall => ({ name: 'read_host_buffer', args: [OUTPUT, size, OUT] })
const fill: HostCall = { name: 'new_dictionary', args: [OUT] }

test('default: code learns its initiator and its phase', () => {
  expect(outputOf(32, { name: 'get_caller', args: [OUT] }, take(32))).toEqual(account)
  expect(outputOf(1, { name: 'get_phase', args: [OUTPUT] })).toEqual(Uint8Array.of(2))
  effectsOf(fill, { name: 'get_caller', args: [OUT], returns: apiErrors.HostBufferFull })
})

test('default: `get_caller` writes a size of eight bytes, as a node of 64 bits', () => {
  expect(outputOf(8, { name: 'get_caller', args: [OUTPUT] })).toEqual(encodeU64(32))
})

test('default: the main purse, and whether code has a URef', () => {
  expect(outputOf(33, { name: 'get_main_purse', args: [OUTPUT] })).toEqual(mainPurse)
  effectsOf(
    { name: 'is_valid_uref', args: [mainPurse], returns: 1 },
    { name: 'is_valid_uref', args: [foreignUref], returns: 0 },
  )
})

test('default: the keys that signed, sorted', () => {
  const other = new Uint8Array(32).fill(0)
  const load: HostCall = { name: 'load_authorization_keys', args: [OUT, OUT + 8] }
  const signers = [account, other]
  expect(session.outputAs(signers, 68, load, take(68))).toEqual(
    concatBytes(Uint8Array.of(2, 0, 0, 0), other, account),
  )
  expect(session.outputAs(signers, 4, { ...load, args: [OUTPUT, OUT] })).toEqual(Uint8Array.of(2, 0, 0, 0))
  effectsOf(fill, { ...load, returns: apiErrors.HostBufferFull })
})

test('default: the named keys, sorted; none leave the buffer empty', () => {
  const load: HostCall = { name: 'load_named_keys', args: [OUT, OUT + 8] }
  effectsOf(load, { name: 'read_host_buffer', args: [OUT, 1, OUT + 8], returns: apiErrors.HostBufferEmpty })
  const key = hashKey(new Uint8Array(32).fill(5))
  const put = (name: string): HostCall => ({ name: 'put_key', args: [text(name), key] })
  const listed = createByteWriter().u32(2).string('a').bytes(key).string('b').bytes(key).finish()
  expect(outputOf(listed.length, put('b'), put('a'), load, take(listed.length))).toEqual(listed)
})

test('default: the call stack of a contract', () => {
  const frames = 4 + 33 + 65
  const contract: HostCall[] = [
    { name: 'load_call_stack', args: [OUT, OUT + 8] },
    { name: 'read_host_buffer', args: [OUT + 16, frames, OUT + 8] },
    { name: 'blake2b', args: [OUT + 16, frames, CONTRACT + 1, 32] },
    { name: 'put_key', args: [text('hash of the stack'), CONTRACT, 33] },
  ]
  const after = [keepKey('package', PACKAGE), keepKey('contract', CONTRACT)]
  expect(runContractSession(session.chain, account, { contract, after }).error).toBeNull()
  const [packageKey, contractKey] = ['package', 'contract'].map((name) =>
    namedKeyOf(session.chain, account, name),
  )
  const stored = session.chain.read(contractKey ?? new Uint8Array())
  const expected = concatBytes(
    Uint8Array.of(2, 0, 0, 0, 0),
    account,
    Uint8Array.of(2),
    (packageKey ?? new Uint8Array()).subarray(1),
    (contractKey ?? new Uint8Array()).subarray(1),
  )
  expect(stored).toMatchObject({
    contract: { namedKeys: new Map([['hash of the stack', hashKey(blake2b(expected))]]) },
  })
})

test('default: what a node tells of the block', () => {
  const info = (field: number, size: number) =>
    outputOf(size, { name: 'get_block_info', args: [field, OUTPUT] })
  expect(info(0, 8)).toEqual(encodeU64(session.chain.blockTimeMs))
  expect(info(1, 8)).toEqual(encodeU64(parent.height))
  expect(info(2, 32)).toEqual(parent.parentHash)
  expect(info(3, 32)).toEqual(parent.parentStateRoot)
  expect(info(4, 12)).toEqual(createByteWriter().u32(2).u32(2).u32(2).finish())
  expect(info(5, 1)).toEqual(Uint8Array.of(0))
})

test('error: an unknown field of the block, and one that is not a byte', () => {
  const errorOfField = (field: number) => errorOf({ name: 'get_block_info', args: [field, OUT] })
  expect(errorOfField(6)).toBe('The imputed operation is invalid')
  expect(errorOfField(256)).toBe('Interpreter error: trap: Code(UnexpectedSignature)')
})
