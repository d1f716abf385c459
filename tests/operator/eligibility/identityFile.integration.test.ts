import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { createIdentityFile, readIdentityFile } from '../../../src/operator/eligibility/identityFile.ts'
import { describeProver } from './describeProver.ts'

describeProver('an identity file', () => {
  test('default: is read back as the identity that was written', async () => {
    using folder = createFolder()
    const path = `${folder.path}/identity.json`
    const { commitment } = await createIdentityFile(path)
    const { identity, warning } = await readIdentityFile(path)
    expect(identity.commitment).toBe(commitment)
    expect(warning).toBeNull()
    expect(JSON.parse(readFileSync(path, 'utf8')).commitment).toBe(commitment.toString())
  })

  test('behavior: two identities are different', async () => {
    using folder = createFolder()
    const [a, b] = [
      await createIdentityFile(`${folder.path}/a`),
      await createIdentityFile(`${folder.path}/b`),
    ]
    expect(a.commitment).not.toBe(b.commitment)
  })

  test('behavior: is readable by its owner alone', async () => {
    using folder = createFolder()
    await createIdentityFile(`${folder.path}/identity.json`)
    expect(statSync(`${folder.path}/identity.json`).mode & 0o777).toBe(0o600)
  })

  test('behavior: one that others can read causes a warning', async () => {
    using folder = createFolder()
    await createIdentityFile(`${folder.path}/a`)
    const path = folder.write('b', readFileSync(`${folder.path}/a`), 0o644)
    expect((await readIdentityFile(path)).warning).toBe(`${path} is readable by others; run chmod 600 on it`)
  })

  test('error: is never overwritten', async () => {
    using folder = createFolder()
    const path = folder.write('identity.json', 'something else')
    expect(await errorOf(createIdentityFile(path))).toMatchObject({
      reason: 'identity_file',
      message: `cannot create the identity file: ${path} exists already and was not changed; use another file`,
    })
    expect(readFileSync(path, 'utf8')).toBe('something else')
  })

  test('error: an invalid file is rejected, and the message contains none of its content', async () => {
    using folder = createFolder()
    const secret = Buffer.alloc(32, 7).toString('base64')
    const contents = [
      secret,
      '[]',
      '{}',
      JSON.stringify({ private_key: `${secret}${secret}`, commitment: '1' }),
      JSON.stringify({ private_key: secret, commitment: '1' }),
      JSON.stringify({ private_key: secret }),
    ]
    for (const content of contents) {
      const error = await errorOf(readIdentityFile(folder.write('identity.json', content)))
      expect(error).toMatchObject({ code: 'prover', reason: 'identity_file' })
      expect(String(error)).not.toContain(secret.slice(0, 8))
    }
    expect(await errorOf(readIdentityFile(`${folder.path}/absent`))).toMatchObject({
      message: `identity file ${folder.path}/absent does not exist; "identity" creates one`,
    })
  })
})
