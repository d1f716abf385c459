import { describe, expect, test } from 'bun:test'
import { createPendingFile } from '../../../src/operator/eligibility/pendingFile.ts'
import { createFolder } from '../../agent/support/keys.ts'
import { errorOf } from '../../support/errorOf.ts'

const signed = { hash: 'ab'.repeat(32), expiresAt: 1, transaction: { Version1: { hash: 'ab' } } }

describe('createPendingFile', () => {
  test('default: gives back what was written, until it is cleared', async () => {
    using folder = createFolder()
    const pending = createPendingFile(`${folder.path}/proof.json.pending`)
    expect(await pending.read()).toBeNull()
    await pending.write(signed)
    expect(await pending.read()).toEqual(signed)
    await pending.clear()
    expect(await pending.read()).toBeNull()
    await pending.clear()
  })

  test.each(['', '{', '[]', '{"hash":"ab"}'])('error: %p is no transaction', async (text) => {
    using folder = createFolder()
    const pending = createPendingFile(folder.write('pending', text))
    expect(await errorOf(pending.read())).toMatchObject({ reason: 'pending_file' })
  })
})
