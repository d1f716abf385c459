import { describe, expect, test } from 'bun:test'
import { createPendingClaimFile } from '../../../src/operator/eligibility/submitClaim.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'

const pending = {
  chain_name: 'casper-net-1',
  transaction_hash: 'ab'.repeat(32),
  expires_at: 1,
  payment_motes: '33000000000',
  transaction: { Version1: { hash: 'ab'.repeat(32) } },
}

describe('createPendingClaimFile', () => {
  test('default: gives back what was written, until it is removed', async () => {
    using folder = createFolder()
    const file = createPendingClaimFile(`${folder.path}/proof.json.pending`, 'casper-net-1')
    expect(await file.list()).toEqual([])
    await file.write(pending)
    expect(await file.list()).toEqual([pending])
    await file.remove(pending)
    expect(await file.list()).toEqual([])
    await file.remove(pending)
  })

  test('error: one of another chain is not sent there', async () => {
    using folder = createFolder()
    const path = folder.write('proof.json.pending', JSON.stringify(pending))
    const error = await errorOf(createPendingClaimFile(path, 'casper-test').list())
    expect(error).toMatchObject({
      code: 'foreign_pending',
      paths: [path],
      destinations: ['chain casper-net-1'],
    })
    expect(error.message).toContain('claim with the copy')
  })

  test.each(['', '{', '[]', '{"hash":"ab"}', `{"hash":"${'ab'.repeat(32)}","expiresAt":1,"transaction":{}}`])(
    'error: %p is no transaction',
    async (text) => {
      using folder = createFolder()
      const path = folder.write('pending', text)
      const error = await errorOf(createPendingClaimFile(path, 'casper-net-1').list())
      expect(error).toMatchObject({ code: 'pending_file', path })
      expect(error.message).toContain('look up the transaction that it names')
    },
  )
})
