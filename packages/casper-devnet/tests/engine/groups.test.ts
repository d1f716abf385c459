import { beforeEach, describe, expect, test } from 'bun:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { createByteWriter } from '@wattfeed/base'
import { createUref } from '@wattfeed/casper/types'
import { headerErrors } from '../../src/engine/apiErrors.ts'
import { contractPackageOf } from '../support/engine/contractPackageOf.ts'
import { createEngineChain, type EngineChain, packageHashOf } from '../support/engine/engineChain.ts'
import { type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import { keepKey, PACKAGE, PACKAGE_HASH, runContractSession } from './support/contractSession.ts'

const account = new Uint8Array(32).fill(1)

let chain: EngineChain

beforeEach(() => {
  chain = createEngineChain()
  chain.addAccount(account)
})

/** Runs a session that changes its package, and returns the result. */
const errorOf = (...calls: HostCall[]) => runContractSession(chain, account, { after: calls }).error

/** URefs from the highest address down. */
const existingUrefs = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => createUref(new Uint8Array(32).fill(0xff - index), 7))

const take: HostCall = { name: 'read_host_buffer', args: [OUT, 4 + 33 * 100, OUT + 8_192] }

/** Creates a group of new URefs and of others, and reads the new ones. */
function create(
  label: string,
  { created = 0, existing = 0 }: { created?: number; existing?: number },
  returns = 0,
): HostCall[] {
  const urefs = concatBytes(createByteWriter().u32(existing).finish(), ...existingUrefs(existing))
  const call: HostCall = {
    name: 'create_contract_user_group',
    args: [PACKAGE_HASH, 32, text(label), created, urefs, OUT],
    returns,
  }
  return returns === 0 ? [call, take] : [call]
}

/** Adds a URef to a group, and reads it. */
function provision(label: string, returns = 0): HostCall[] {
  const call: HostCall = {
    name: 'provision_contract_user_group_uref',
    args: [PACKAGE_HASH, 32, text(label), OUT],
    returns,
  }
  return returns === 0 ? [call, take] : [call]
}

const { MaxTotalURefsExceeded } = headerErrors

describe('groups that are removed', () => {
  const remove = (label: string, returns = 0): HostCall => ({
    name: 'remove_contract_user_group',
    args: [PACKAGE_HASH, 32, text(label)],
    returns,
  })

  test('default: a group disappears with its URefs', () => {
    const calls = [...create('group', { existing: 1 }), remove('group'), keepKey('package', PACKAGE)]
    expect(errorOf(...calls)).toBeNull()
    const { groups } = contractPackageOf(chain, packageHashOf(chain, account, 'package'))
    expect(groups).toEqual(new Map())
  })

  test('error: one that does not exist, and one that an entry point is for', () => {
    expect(errorOf(remove('group', headerErrors.GroupDoesNotExist))).toBeNull()
    const session = {
      access: { Groups: ['group'] },
      beforeCall: create('group', { created: 1 }),
      after: [remove('group', headerErrors.GroupInUse)],
    }
    expect(runContractSession(chain, account, session).error).toBeNull()
  })
})

describe('user groups', () => {
  const ways: [string, HostCall[]][] = [
    ['made with it', create('group', { created: 1, existing: 1 })],
    ['added to it', [...create('group', { existing: 1 }), ...provision('group')]],
  ]
  test.each(ways)('default: URefs are sorted by their bytes: %s', (_, calls) => {
    expect(errorOf(...calls, keepKey('package', PACKAGE))).toBeNull()
    const { groups } = contractPackageOf(chain, packageHashOf(chain, account, 'package'))
    expect(groups.get('group')).toEqual([expect.any(Uint8Array), ...existingUrefs(1)])
  })

  test('error: more than 100 new or existing URefs', () => {
    expect(
      errorOf(
        ...create('group', { existing: 101 }, MaxTotalURefsExceeded),
        ...create('group', { created: 1, existing: 100 }, MaxTotalURefsExceeded),
        ...create('group', { existing: 100 }),
      ),
    ).toBeNull()
  })

  test('error: another URef when all groups together have 100', () => {
    expect(
      errorOf(
        ...create('large', { existing: 95 }),
        ...create('small', { created: 4 }),
        ...provision('small'),
        ...provision('small', MaxTotalURefsExceeded),
      ),
    ).toBeNull()
  })

  test('error: another URef in a group with 10', () => {
    expect(
      errorOf(
        ...create('group', { created: 9 }),
        ...provision('group'),
        ...provision('group', MaxTotalURefsExceeded),
      ),
    ).toBeNull()
  })
})
