import { describe, expect, test } from 'bun:test'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { inspect } from 'node:util'
import { decodeHex } from '@wattfeed/base'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { verifySignature } from '../../src/consensus/verifySignature.ts'
import { KeyError, loadSigner } from '../../src/transaction/signer.ts'
import { type KeyFormat, keyMaterial, pemOf, secretHex, testSigner } from '../support/keys.ts'

const formats: [KeyFormat, RegExp][] = [
  ['ed25519', /^01[0-9a-f]{64}$/],
  ['secp256k1', /^020[23][0-9a-f]{64}$/],
  ['secp256k1Pkcs8', /^020[23][0-9a-f]{64}$/],
]

describe('loadSigner', () => {
  test.each(formats)('default: %s', async (format, publicKey) => {
    using folder = createFolder()
    const { signer, warning } = await loadSigner(folder.write('key.pem', pemOf(format)))
    expect(warning).toBeNull()
    expect(signer.publicKey).toMatch(publicKey)
    expect(signer.accountHash).toMatch(/^account-hash-[0-9a-f]{64}$/)
  })

  test('behavior: Windows line ends and text around the key', async () => {
    using folder = createFolder()
    const pem = `Bag Attributes\n${pemOf('ed25519')}`.replaceAll('\n', '\r\n')
    const { signer } = await loadSigner(folder.write('key.pem', pem))
    expect(signer.publicKey).toBe((await testSigner()).publicKey)
  })

  test('behavior: the public key is the one that the platform derives', async () => {
    const { publicKey } = await testSigner('ed25519')
    const der = createPublicKey(createPrivateKey(pemOf('ed25519'))).export({ type: 'spki', format: 'der' })
    expect(publicKey).toBe(`01${der.toString('hex').slice(-64)}`)
  })

  test('behavior: both formats of the same key are the same account', async () => {
    expect(await testSigner('secp256k1Pkcs8')).toMatchObject({
      publicKey: (await testSigner('secp256k1')).publicKey,
    })
  })

  test.each(formats)('behavior: signatures by %s verify', async (format) => {
    const signer = await testSigner(format)
    const transaction = signer.sign({
      initiator: signer.publicKey,
      chainName: 'casper-net-1',
      target: { packageHash: '00'.repeat(32), entryPoint: 'attest' },
      args: {},
      paymentMotes: 2_500_000_000n,
      timestamp: 0,
    })
    expect(transaction.validate()).toBeTrue()
  })

  test.each([0o640, 0o604, 0o644, 0o620])('behavior: mode %o is a warning', async (mode) => {
    using folder = createFolder()
    const path = folder.write('key.pem', pemOf('ed25519'), mode)
    expect(await loadSigner(path)).toMatchObject({
      warning: `the key file ${path} is readable by others; run chmod 600 on it`,
    })
  })

  test('behavior: nothing that prints a signer prints its key', async () => {
    for (const format of ['ed25519', 'secp256k1'] as const) {
      const signer = await testSigner(format)
      const printed = [
        JSON.stringify(signer),
        inspect(signer, { depth: 9, showHidden: true }),
        Bun.inspect(signer),
      ]
      expect(printed.join('\n')).not.toMatch(keyMaterial)
    }
  })
})

describe('approve', () => {
  test.each(formats)('default: %s: the signature of the hash', async (format) => {
    const { approve, publicKey } = await testSigner(format)
    const hash = 'ab'.repeat(32)
    const { signer, signature } = approve(hash)
    expect(signer).toBe(publicKey)
    expect(await verifySignature(signer, decodeHex(hash, 'hash'), signature)).toBeTrue()
    expect(await verifySignature(signer, decodeHex('cd'.repeat(32), 'hash'), signature)).toBeFalse()
  })
})

describe('a key file that cannot be used', () => {
  const NONE = 'does not contain an unencrypted Ed25519 or secp256k1 secret key in PEM'
  const wrap = (label: string, hex: string): string =>
    `-----BEGIN ${label}-----\n${Buffer.from(hex, 'hex').toString('base64')}\n-----END ${label}-----\n`
  const files: [string, string, string][] = [
    ['empty', '', NONE],
    ['not PEM', `{"key":"${secretHex.ed25519}"}`, NONE],
    ['a public key', wrap('PUBLIC KEY', `302a300506032b6570032100${secretHex.ed25519}`), NONE],
    ['encrypted', wrap('ENCRYPTED PRIVATE KEY', secretHex.ed25519.repeat(2)), NONE],
    [
      'another curve',
      wrap('EC PRIVATE KEY', `30310201010420${secretHex.secp256k1}a00a06082a8648ce3d030107`),
      NONE,
    ],
    ['cut off', wrap('PRIVATE KEY', `302e020100300506032b657004220420${secretHex.ed25519.slice(2)}`), NONE],
    [
      'zero',
      wrap('EC PRIVATE KEY', `302e0201010420${'00'.repeat(32)}a00706052b8104000a`),
      'does not contain a valid secret key (scalar out of range)',
    ],
    [
      'beyond the curve',
      wrap('EC PRIVATE KEY', `302e0201010420${'ff'.repeat(32)}a00706052b8104000a`),
      'does not contain a valid secret key (scalar out of range)',
    ],
  ]
  test('error: none is named', async () => {
    expect((await errorOf(loadSigner(null))).message).toBe(
      'the key file is not set; set ATTESTER_KEY_PATH to a secret key in PEM, Ed25519 or secp256k1',
    )
  })

  test.each(files)('error: %s', async (_, content, rule) => {
    using folder = createFolder()
    const path = folder.write('key.pem', content)
    const error = await errorOf(loadSigner(path))
    expect<unknown>({ ...error, message: error.message }).toEqual({
      code: 'key',
      retryable: false,
      path,
      rule,
      message: `the key file ${path} ${rule}; set ATTESTER_KEY_PATH to a secret key in PEM, Ed25519 or secp256k1`,
    })
    expect(error).toBeInstanceOf(KeyError)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(keyMaterial)
  })

  test('error: missing', async () => {
    using folder = createFolder()
    expect(await errorOf(loadSigner(`${folder.path}/none.pem`))).toMatchObject({ rule: 'does not exist' })
  })

  test('error: a folder', async () => {
    using folder = createFolder()
    expect(await errorOf(loadSigner(folder.path))).toMatchObject({ rule: 'cannot be read (EISDIR)' })
  })
})
