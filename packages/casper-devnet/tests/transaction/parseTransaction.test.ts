import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import {
  callByHash,
  calls,
  deploySessions,
  json,
  keys,
  signedCall,
  signedDeploy,
  signedSession,
} from '@wattfeed/casper/testing/sdkTransactions'
import { Deploy, Transaction } from 'casper-js-sdk'
import fc from 'fast-check'
import { InvalidParamsError } from '../../src/params.ts'
import { verifyTransaction } from '../../src/transaction/checkTransaction.ts'
import { parseTransaction } from '../../src/transaction/parseTransaction.ts'
import { transactions } from '../support/recordings.ts'

const sent = transactions.filter(({ method }) => method === 'account_put_transaction')
const readable = sent.filter(({ note }) => note !== 'ttl too long')
const looked = transactions.filter(({ method }) => method === 'info_get_transaction')

const version1 = (transaction: Transaction): unknown => ({ Version1: json(transaction.toJSON()) })
const asDeploy = (deploy: Deploy): unknown => ({ Deploy: json(Deploy.toJSON(deploy)) })

describe('parseTransaction', () => {
  test.each(readable.map(({ note, params }) => [note ?? '', params] as const))(
    'default: recorded: %s: hash and signature are valid',
    (note, params) => {
      const transaction = parseTransaction(memberAt(params, 'transaction'))
      expect(transaction.hasValidHash).toBeTrue()
      expect(verifyTransaction(transaction)).toBe(note === 'bad signature' ? 'approval' : null)
    },
  )

  test('behavior: its JSON equals the recorded one, including the order of fields', () => {
    expect(looked.length).toBeGreaterThan(3)
    for (const each of looked) {
      const printed = memberAt('result' in each ? each.result : null, 'transaction')
      expect(JSON.stringify(parseTransaction(printed).json)).toBe(JSON.stringify(printed))
    }
  })

  test('behavior: its size equals the recorded node’s estimate', () => {
    const sizes = looked.flatMap((each) => {
      const result = 'result' in each ? each.result : null
      const executed = memberAt(result, 'execution_info', 'execution_result')
      const estimate = memberAt(executed, 'Version2', 'size_estimate')
      return estimate === undefined
        ? []
        : [[parseTransaction(memberAt(result, 'transaction')).sizeBytes, estimate]]
    })
    expect(sizes.length).toBeGreaterThan(2)
    for (const [size, estimate] of sizes) expect(size).toBe(Number(estimate))
  })

  const both = Object.entries(keys)
  test.each(both.flatMap(([kind, key]) => Object.keys(calls).map((by) => [kind, by, key] as const)))(
    'behavior: %s: a call by %s made by casper-js-sdk checks out',
    (_, by, key) => {
      const transaction = parseTransaction(version1(signedCall(by, key)))
      expect(verifyTransaction(transaction)).toBeNull()
      expect(transaction.initiator.accountHash.toHex()).toBe(key.publicKey.accountHash().toHex())
    },
  )

  test.each(both)('behavior: %s: sessions made by casper-js-sdk check out', (_, key) => {
    for (const isInstall of [true, false]) {
      const transaction = parseTransaction(version1(signedSession(Uint8Array.of(1, 2, 3), isInstall, key)))
      expect(verifyTransaction(transaction)).toBeNull()
      expect(transaction.target).toEqual({
        kind: 'session',
        wasm: Uint8Array.of(1, 2, 3),
        isInstallOrUpgrade: isInstall,
      })
      expect(JSON.stringify(memberAt(transaction.json.Version1, 'payload', 'fields', 'target'))).toBe(
        `{"Session":{"is_install_upgrade":${isInstall},"module_bytes":"010203","runtime":"VmCasperV1"}}`,
      )
    }
  })

  test.each(Object.entries(deploySessions))(
    'behavior: a deploy of %s made by casper-js-sdk checks out',
    (_, session) => {
      for (const key of Object.values(keys)) {
        const transaction = parseTransaction(asDeploy(signedDeploy(session(), { key })))
        expect(verifyTransaction(transaction)).toBeNull()
        expect(transaction.pricing).toEqual({
          kind: 'paymentLimited',
          paymentMotes: 3_000_000_000n,
          gasPriceTolerance: 1,
          isStandardPayment: true,
        })
      }
    },
  )

  test("behavior: a deploy's gas price can be above 255", () => {
    const transaction = parseTransaction(asDeploy(signedDeploy(callByHash(), { gasPrice: 256 })))
    expect(verifyTransaction(transaction)).toBeNull()
    expect(transaction.pricing).toMatchObject({ gasPriceTolerance: 256 })
  })

  test('behavior: approvals are sorted by signer, without duplicates', () => {
    const [first, second] = [keys.ed25519, keys.secp256k1].map(
      (key) => parseTransaction(version1(signedCall('package hash', key))).approvals[0],
    )
    const copy = json(signedCall('package hash').toJSON())
    const approvals = [second, first, second].map((approval) => ({
      signer: approval?.signer,
      signature: approval?.signature,
    }))
    const { json: printed, ...parsed } = parseTransaction({ Version1: { ...Object(copy), approvals } })
    expect<unknown>(parsed.approvals).toEqual([first, second])
    expect(memberAt(printed.Version1, 'approvals')).toEqual([approvals[1], approvals[0]])
  })

  test('behavior: casper-js-sdk parses a formatted deploy and finds it valid', () => {
    for (const session of Object.values(deploySessions)) {
      const { json: printed } = parseTransaction(asDeploy(signedDeploy(session())))
      expect(Deploy.fromJSON(printed.Deploy).validate()).toBeTrue()
    }
  })

  test('behavior: casper-js-sdk parses a formatted transaction and finds it valid', () => {
    for (const by of Object.keys(calls)) {
      const { json: printed } = parseTransaction(version1(signedCall(by)))
      expect(Transaction.fromJSON(printed.Version1).validate()).toBeTrue()
    }
  })

  test('error: the hash does not match a changed argument, target or header', () => {
    const original = json(signedCall('package hash').toJSON())
    const text = JSON.stringify(original)
    const changes: [string, string][] = [
      ['increment', 'decrement'],
      ['c1c1', 'c2c1'],
      ['"30m"', '"31m"'],
      ['casper-devnet', 'casper-devnes'],
      ['3000000000', '3000000001'],
      ['"text"', '"next"'],
      ['"cl_type":"U512"', '"cl_type":"U256"'],
    ]
    for (const [from, to] of changes) {
      expect(text).toContain(from)
      const changed = parseTransaction({ Version1: JSON.parse(text.replace(from, to)) })
      expect([from, verifyTransaction(changed)]).toEqual([from, 'hash'])
    }
  })

  test('error: the hashes do not match a changed deploy', () => {
    const text = JSON.stringify(asDeploy(signedDeploy(callByHash())))
    const verdict = (from: string, to: string): unknown => {
      expect(text).toContain(from)
      return verifyTransaction(parseTransaction(JSON.parse(text.replace(from, to))))
    }
    expect(verdict('increment', 'decrement')).toBe('bodyHash')
    expect(verdict('casper-devnet', 'casper-devnes')).toBe('hash')
    expect(verdict('"30m"', '"31m"')).toBe('hash')
  })

  test('error: a different signature, signer or algorithm, or none', () => {
    const original = json(signedCall('package hash').toJSON())
    const verdict = (change: (approvals: { signer: string; signature: string }[]) => unknown): unknown => {
      const copy = JSON.parse(JSON.stringify(original))
      copy.approvals = change(copy.approvals)
      return verifyTransaction(parseTransaction({ Version1: copy }))
    }
    const other = keys.secp256k1.publicKey.toHex()
    expect(verdict((approvals) => approvals)).toBeNull()
    expect(verdict(() => [])).toBe('noApprovals')
    expect(verdict((all) => [...all, ...all.map((each) => ({ ...each, signer: other }))])).toBe('approval')
    expect(verdict((all) => all.map((each) => ({ ...each, signer: other })))).toBe('approval')
    expect(verdict((all) => all.map((each) => ({ ...each, signer: `01${'00'.repeat(32)}` })))).toBe(
      'approval',
    )
    expect(
      verdict((all) => all.map((each) => ({ ...each, signature: each.signature.replace(/^01/, '02') }))),
    ).toBe('approval')
  })

  test('error: a changed byte at any position of a signature', () => {
    const original = json(signedCall('package hash', keys.secp256k1).toJSON())
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 255 }), (index, mask) => {
        const copy = JSON.parse(JSON.stringify(original))
        const signature = Buffer.from(copy.approvals[0].signature, 'hex')
        signature[index] = (signature[index] ?? 0) ^ mask
        copy.approvals[0].signature = signature.toString('hex')
        expect(verifyTransaction(parseTransaction({ Version1: copy }))).toBe('approval')
      }),
      { numRuns: 20 },
    )
  })

  test('error: an incomplete transaction is rejected with the name of the missing field', () => {
    const original = JSON.stringify(json(signedCall('package hash').toJSON()))
    const parse = (change: (copy: Record<string, unknown>) => void) => () => {
      const copy = JSON.parse(original)
      change(copy)
      return parseTransaction({ Version1: copy })
    }
    expect(parse((copy) => delete copy.hash)).toThrow('missing field `hash`')
    expect(parse((copy) => delete copy.payload)).toThrow('missing field `payload`')
    expect(parse((copy) => Object.assign(copy, { hash: 'xy' }))).toThrow("Invalid byte `b'x'`")
    expect(parse((copy) => Object.assign(copy, { hash: 'ab' }))).toThrow('could not convert slice to array')
    expect(parse((copy) => Object.assign(copy, { approvals: {} }))).toThrow('expected a sequence')
    expect(() => parseTransaction({ Version3: {} })).toThrow(
      'unknown variant `Version3`, expected `Deploy` or `Version1`',
    )
    expect(() => parseTransaction('Deploy')).toThrow(InvalidParamsError)
  })

  test('error: any JSON is parsed or rejected', () => {
    const original = json(signedCall('package hash').toJSON())
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('hash', 'payload', 'approvals'), (value, field) => {
        const attempt = { Version1: { ...Object(original), [field]: value } }
        try {
          parseTransaction(attempt)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidParamsError)
        }
      }),
    )
  })
})
