import { beforeEach, describe, expect, test } from 'bun:test'
import { type ContractPackage, createUref, urefKey } from '@wattfeed/casper/types'
import { apiErrors } from '../../src/engine/apiErrors.ts'
import { contractPackageOf } from '../support/engine/contractPackageOf.ts'
import { createEngineChain, type EngineChain, packageHashOf } from '../support/engine/engineChain.ts'
import { type HostCall, OUT } from '../support/engine/hostCalls.ts'
import {
  addVersion,
  CONTRACT_HASH,
  type ContractSession,
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
