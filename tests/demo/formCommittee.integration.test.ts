import { describe, expect, test } from 'bun:test'
import { getAccount } from '@wattfeed/casper/transaction'
import { createFolder } from '@wattfeed/testing/folder'
import { committeeOfAccount } from '../../src/committee/committee.ts'
import { readMembers } from '../../src/committee/membersFile.ts'
import { startDemoChain } from '../../src/demo/demoChain.ts'
import { FORMATION_MS, formCommittee } from '../../src/demo/formCommittee.ts'

describe('formCommittee', () => {
  test('default: the account has a key of each member, and four of them must sign', async () => {
    using folder = createFolder()
    await using chain = await startDemoChain(0, folder.path)
    const startedAt = chain.clock.now()
    const { path, members } = await formCommittee(chain, folder.path)

    const account = await getAccount(chain.rpc, chain.owner.signer.accountHash)
    if (account === null) throw new Error('the chain does not know the account')
    const { weights, deployment, keyManagement } = committeeOfAccount(account)
    const { committee, members: listed } = await readMembers(path)
    expect({ weights, deployment, keyManagement }).toEqual({
      weights: committee.weights,
      deployment: 4,
      keyManagement: 4,
    })
    expect([...weights.values()]).toEqual([1, 1, 1, 1, 1])
    expect(weights.has(chain.owner.signer.keyHash)).toBe(true)
    expect(listed.map(({ address }) => address)).toEqual(
      members.map(({ port }) => `http://127.0.0.1:${port}`),
    )
    expect(new Set(members.map(({ port }) => port)).size).toBe(members.length)
    expect(chain.clock.now() - startedAt).toBeLessThanOrEqual(FORMATION_MS)
  })
})
