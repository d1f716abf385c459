import { beforeEach, describe, expect, test } from 'bun:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { writeEntryPoint } from '@wattfeed/casper/testing/internals'
import { type Contract, type ContractPackage, createUref, hashKey, urefKey } from '@wattfeed/casper/types'
import { apiErrors, headerErrors } from '../../src/engine/apiErrors.ts'
import { contractPackageOf } from '../support/engine/contractPackageOf.ts'
import {
  createEngineChain,
  type EngineChain,
  namedKeyOf,
  packageHashOf,
} from '../support/engine/engineChain.ts'
import { type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import {
  addVersion,
  CONTRACT,
  CONTRACT_HASH,
  type ContractSession,
  ENTRY_POINT,
  encodeArguments,
  keepKey,
  PACKAGE,
  PACKAGE_HASH,
  runContractSession,
} from './support/contractSession.ts'

const account = new Uint8Array(32).fill(1)
/** Where the session writes the hash of a second version. */
const SECOND_HASH = OUT + 64

let chain: EngineChain

beforeEach(() => {
  chain = createEngineChain()
  chain.addAccount(account)
})

const errorOf = (session: ContractSession) => runContractSession(chain, account, session).error
/** Returns the package after a session that changes it. */
const packageAfter = (...calls: HostCall[]): ContractPackage => {
  expect(errorOf({ after: [...calls, keepKey('package', PACKAGE)] })).toBeNull()
  return contractPackageOf(chain, packageHashOf(chain, account, 'package'))
}

const disable = (contractHash: number): HostCall => ({
  name: 'disable_contract_version',
  args: [PACKAGE_HASH, 32, contractHash, 32],
})

describe('disabled versions', () => {
  const first = { protocolVersionMajor: 2, contractVersion: 1 }
  const second = { protocolVersionMajor: 2, contractVersion: 2 }

  test('default: disabling a version twice has no further effect', () => {
    const { disabledVersions } = packageAfter(disable(CONTRACT_HASH), disable(CONTRACT_HASH))
    expect(disabledVersions).toEqual([first])
  })

  test('behavior: they are sorted by number', () => {
    const { disabledVersions } = packageAfter(
      addVersion(SECOND_HASH),
      disable(SECOND_HASH),
      disable(CONTRACT_HASH),
    )
    expect(disabledVersions).toEqual([first, second])
  })

  test('error: a locked package; any number other than 0 locks it', () => {
    const after = [disable(CONTRACT_HASH)]
    expect(errorOf({ isLocked: 0, after })).toBeNull()
    for (const isLocked of [1, 2])
      expect(errorOf({ isLocked, after })).toBe('A locked contract cannot be upgraded')
  })
})

describe('enabled versions', () => {
  const enable = (contractHash: number, returns = 0): HostCall => ({
    name: 'enable_contract_version',
    args: [PACKAGE_HASH, 32, contractHash, 32],
    returns,
  })

  test('default: a version is enabled again, also one that was not disabled', () => {
    const calls = [disable(CONTRACT_HASH), enable(CONTRACT_HASH), enable(CONTRACT_HASH)]
    expect(packageAfter(...calls).disabledVersions).toEqual([])
  })

  test('error: another contract, and a locked package', () => {
    packageAfter(enable(PACKAGE_HASH, headerErrors.ContractNotFound))
    expect(errorOf({ isLocked: 1, after: [enable(CONTRACT_HASH)] })).toBe(
      'A locked contract cannot be upgraded',
    )
  })
})

describe('functions that add a version', () => {
  const entryPoints = (...end: number[]): Uint8Array =>
    concatBytes(
      writeEntryPoint(createByteWriter().u32(1).string(ENTRY_POINT), {
        name: ENTRY_POINT,
        args: [],
        ret: 'Unit',
        access: 'Public',
        entry_point_type: 'Called',
      }).finish(),
      Uint8Array.from(end),
    )
  const none = Uint8Array.of(0, 0, 0, 0)
  const numbers = ({ versions }: ContractPackage) => versions.map(({ contractVersion }) => contractVersion)

  test('default: the oldest has no message topics, and no one who pays', () => {
    const add = (bytes: Uint8Array): HostCall => ({
      name: 'add_contract_version',
      args: [PACKAGE_HASH, 32, OUT, bytes, none, SECOND_HASH, 32, OUT],
    })
    expect(numbers(packageAfter(add(entryPoints()), disable(SECOND_HASH)))).toEqual([1, 2])
    expect(errorOf({ after: [add(entryPoints(0))] })).toBe(
      'Serialization error: Deserialization error: left-over bytes',
    )
  })

  test('default: the one for packages of addressable entities does the same as that for contracts', () => {
    const add = (size: number, returns = 0): HostCall => ({
      name: 'add_package_version_with_message_topics',
      args: [PACKAGE_HASH, 32, OUT, entryPoints(0), none, none, SECOND_HASH, size],
      returns,
    })
    expect(numbers(packageAfter(add(32), disable(SECOND_HASH)))).toEqual([1, 2])
    packageAfter(add(31, apiErrors.BufferTooSmall))
  })
})

describe('a contract that installs contracts', () => {
  const factory: HostCall[] = [
    { name: 'create_contract_package_at_hash', args: [PACKAGE_HASH, OUT, 0] },
    addVersion(CONTRACT_HASH),
  ]
  const installed = (): Contract => {
    const stored = chain.read(namedKeyOf(chain, account, 'contract'))
    const made = stored?.kind === 'Contract' ? stored.contract.namedKeys.get('made') : undefined
    const contract = chain.read(made ?? new Uint8Array())
    if (contract?.kind !== 'Contract') throw new Error('the contract has made no contract')
    return contract.contract
  }
  const wasmOf = ({ wasmHash }: Contract): Uint8Array => {
    const stored = chain.read(hashKey(wasmHash))
    return stored?.kind === 'ContractWasm' ? stored.wasm : new Uint8Array()
  }

  test('default: its code is that of the new contract, which can install contracts, too', () => {
    const keep: HostCall = { name: 'put_key', args: [text('made'), CONTRACT, 33] }
    expect(errorOf({ contract: [...factory, keep], after: [keepKey('contract', CONTRACT)] })).toBeNull()
    const stored = chain.read(namedKeyOf(chain, account, 'contract'))
    const child = installed()
    expect(wasmOf(child)).toEqual(stored?.kind === 'Contract' ? wasmOf(stored.contract) : new Uint8Array())
    const contract = { contractHash: namedKeyOf(chain, account, 'contract').subarray(1) }
    const target = { kind: 'call', contract, entryPoint: ENTRY_POINT } as const
    expect(chain.execute({ initiator: account, target }).error).toBeNull()
    expect(installed().wasmHash).not.toEqual(child.wasmHash)
  })
})

describe('call_package_version', () => {
  const none = Uint8Array.of(0)
  const some = (value: number): Uint8Array => createByteWriter().u8(1).u32(value).finish()
  const call = (major: Uint8Array, version: Uint8Array): HostCall => ({
    name: 'call_package_version',
    args: [PACKAGE_HASH, 32, major, version, text(ENTRY_POINT), encodeArguments([]), OUT],
  })

  test('default: a version of a protocol, and the newest of it, or of all', () => {
    const after = [call(some(2), some(1)), call(some(2), none), call(none, some(1)), call(none, none)]
    expect(errorOf({ after })).toBeNull()
  })

  test('error: a version that does not exist', () => {
    const errorOfCall = (...args: Parameters<typeof call>) => errorOf({ after: [call(...args)] })
    expect(errorOfCall(some(2), some(2))).toBe('Missing entity version: 2.2')
    expect(errorOfCall(some(1), none)).toBe('Missing entity version: 1.0')
    expect(errorOfCall(none, some(2))).toBe('No matching entity version key')
  })

  test('error: the host buffer is full', () => {
    const full = { ...call(none, none), returns: apiErrors.HostBufferFull }
    expect(errorOf({ after: [{ name: 'new_dictionary', args: [OUT] }, full] })).toBeNull()
  })
})

describe('new versions', () => {
  test('error: a named key with a URef that the installer does not have', () => {
    const foreign = urefKey(createUref(new Uint8Array(32).fill(0x77), 1))
    expect(errorOf({ namedKeys: new Map([['foreign', foreign]]) })).toBe(
      `Forged reference: URef(${'77'.repeat(32)}, READ)`,
    )
  })

  test('error: an entry point for which nobody that a node knows pays', () => {
    for (const payment of [0, 1, 2]) expect(errorOf({ payment })).toBeNull()
    expect(errorOf({ payment: 3 })).toBe('Serialization error: Deserialization error: formatting')
  })

  test('behavior: 128 topics are allowed, including those of the previous version', () => {
    const topics = Array.from({ length: 128 }, (_, index) => `topic ${index}`)
    const after = [
      addVersion(SECOND_HASH, { topics: ['one more'] }, apiErrors.MaxTopicsNumberExceeded),
      addVersion(SECOND_HASH),
    ]
    expect(errorOf({ topics, after })).toBeNull()
  })
})
