import { beforeEach, describe, expect, test } from 'bun:test'
import { accountKey, addressOf, hashKey, urefKey } from '@wattfeed/casper/types'
import { createEngineChain, type EngineChain, namedKeyOf } from '../support/engine/engineChain.ts'
import { type HostCall, runHostCalls, text } from '../support/engine/hostCalls.ts'
import {
  CONTRACT,
  type ContractSession,
  callContract,
  keepKey,
  runContractSession,
} from './support/contractSession.ts'

const account = new Uint8Array(32).fill(1)
const mainPurse = Uint8Array.of(...new Uint8Array(32).fill(0xaa), 7)
const other = hashKey(new Uint8Array(32).fill(5))

let chain: EngineChain

beforeEach(() => {
  chain = createEngineChain()
  chain.addAccount(account)
})

const errorOf = (session: ContractSession) => runContractSession(chain, account, session).error
/** Returns the error of a session that stores session code and calls it. */
const errorOfStored = (session: ContractSession) => errorOf({ ...session, entryPointType: 'Caller' })

const put = (name: string, key: Uint8Array): HostCall => ({ name: 'put_key', args: [text(name), key] })
const has = (name: string): HostCall => ({ name: 'has_key', args: [text(name)] })

describe('stored session code', () => {
  test('default: it adds named keys to the account, and the calling session sees them', () => {
    expect(errorOfStored({ contract: [put('other', other)], after: [has('other')] })).toBeNull()
    expect(chain.read(accountKey(account))).toMatchObject({
      account: { namedKeys: new Map([['other', other]]) },
    })
  })

  test('behavior: it has the account’s previous named keys, and none of its own', () => {
    expect(runHostCalls(chain, account, [put('other', other)]).error).toBeNull()
    const namedKeys = new Map([['own', other]])
    const contract: HostCall[] = [has('other'), { ...has('own'), returns: 1 }]
    expect(errorOfStored({ namedKeys, contract })).toBeNull()
  })

  test("behavior: it has all rights to the account's purse, unlike a contract", () => {
    const contract = [put('purse', urefKey(mainPurse))]
    expect(errorOfStored({ contract })).toBeNull()
    expect(errorOf({ contract })).toBe(`Forged reference: URef(${'aa'.repeat(32)}, READ_ADD_WRITE)`)
  })

  test('error: a contract calls it, with any arguments', () => {
    expect(errorOfStored({ after: [keepKey('stored', CONTRACT)] })).toBeNull()
    const stored = [addressOf(namedKeyOf(chain, account, 'stored'))]
    expect(runHostCalls(chain, account, [callContract(stored)]).error).toBeNull()
    expect(errorOf({ contract: [callContract(stored)] })).toBe('Invalid context')
    const foreign = { name: 'uref', clType: 'URef', bytes: mainPurse } as const
    expect(errorOf({ contract: [callContract(stored, [foreign])] })).toBe('Invalid context')
  })
})
