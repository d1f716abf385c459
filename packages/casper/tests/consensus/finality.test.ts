import { describe, expect, test } from 'bun:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import {
  checkFinality,
  finalityMessage,
  type ValidatorWeights,
  validatorWeights,
} from '../../src/consensus/finality.ts'
import { verifySignature } from '../../src/consensus/verifySignature.ts'
import { type Block, decodeBlock } from '../../src/types/block.ts'
import { chainNames, flipDigit, readRecordedBlocks, recordings } from '../support/recordedBlocks.ts'

const CHAIN = 'casper-net-3'

/** 3 : 4 : 5 of 12, in the order of their keys. */
const blocks = readRecordedBlocks('blocks-3-validators').map(decodeBlock)
const weights = weightsOf(readRecordedBlocks('switch-blocks-3-validators').map(decodeBlock)[0])
const [block] = blocks.filter(({ proofs }) => proofs.length === 3)
if (block === undefined) throw new Error('the recording has a block that all validators signed')

function weightsOf(switchBlock: Block | undefined): ValidatorWeights {
  return validatorWeights(switchBlock?.header.eraEnd?.nextEraValidatorWeights ?? [])
}

const shareOf = (...indexes: number[]): Block => ({
  ...(block as Block),
  proofs: indexes.map((index) => (block as Block).proofs[index] ?? { publicKey: '', signature: '' }),
})

const isFinal = async (candidate: Block, by = weights, chainName = CHAIN): Promise<boolean> =>
  (await checkFinality(candidate, by, chainName)).isFinal

/** The same weight for each of this number of validators. */
const equalWeights = (validators: readonly string[], weight = 1n): ValidatorWeights =>
  new Map(validators.map((validator) => [validator, weight]))

describe('recorded blocks', () => {
  test.each(recordings)('default: every block of %s is final', async (recording) => {
    let by: ValidatorWeights | null = null
    for (const each of readRecordedBlocks(recording).map(decodeBlock)) {
      if (by) expect(await isFinal(each, by, chainNames[recording])).toBeTrue()
      if (each.header.eraEnd) by = weightsOf(each)
    }
    expect(by).not.toBeNull()
  })
})

describe('checkFinality', () => {
  test('default: the heaviest are counted, and no more than it takes', async () => {
    expect(await checkFinality(block, weights, CHAIN)).toEqual({
      signed: 900_000_000_000_000n,
      total: 1_200_000_000_000_000n,
      isFinal: true,
    })
  })

  const shares: [number[], boolean][] = [
    [[0, 1, 2], true],
    [[1, 2], true],
    [[0, 2], false], // 8 of 12: exactly two thirds
    [[0, 1], false],
    [[2], false],
    [[], false],
  ]
  test.each(shares)('behavior: signed by %p: %p', async (indexes, expected) => {
    expect(await isFinal(shareOf(...indexes))).toBe(expected)
  })

  test('behavior: a signer that repeats is counted once', async () => {
    expect(await isFinal(shareOf(2, 2, 2))).toBeFalse()
  })

  test('behavior: a bad signature beside a good one of the same validator takes nothing away', async () => {
    const [first, second, third] = block.proofs
    if (!first || !second || !third) throw new Error('three signatures')
    const bad = { ...third, signature: flipDigit(third.signature, 20) }
    expect(await isFinal({ ...block, proofs: [bad, second, third] })).toBeTrue()
  })

  test('behavior: of a validator’s many signatures two are tried', async () => {
    const [, second, third] = block.proofs
    if (!second || !third) throw new Error('three signatures')
    const bad = { ...third, signature: flipDigit(third.signature, 20) }
    expect(await isFinal({ ...block, proofs: [bad, third, second] })).toBeTrue()
    expect(await isFinal({ ...block, proofs: [bad, bad, third, second] })).toBeFalse()
  })

  test('error: a text that is not a signature is not counted, and does not affect others', async () => {
    const [first, second, third] = block.proofs
    if (!first || !second || !third) throw new Error('three signatures')
    for (const signature of ['', '03ab', 'nonsense', `05${'ab'.repeat(64)}`])
      expect(await isFinal({ ...block, proofs: [{ ...first, signature }, second, third] })).toBeTrue()
  })

  test('error: a signer that is no validator of the era', async () => {
    const others = equalWeights(['01'.padEnd(66, 'a'), ...block.proofs.slice(0, 1).map((p) => p.publicKey)])
    expect(await isFinal(block, others)).toBeFalse()
  })

  test('error: no validators at all', async () => {
    expect(await isFinal(block, new Map())).toBeFalse()
  })

  test('error: signatures of another chain, era or height', async () => {
    expect(await isFinal(block, weights, 'casper-net-1')).toBeFalse()
    const { header } = block
    expect(await isFinal({ ...block, header: { ...header, eraId: header.eraId + 1 } })).toBeFalse()
    expect(await isFinal({ ...block, header: { ...header, height: header.height + 1 } })).toBeFalse()
  })

  test('error: signatures of another block', async () => {
    const other = blocks.find(({ hash, proofs }) => hash !== block.hash && proofs.length === 3)
    expect(await isFinal({ ...block, proofs: other?.proofs ?? [] })).toBeFalse()
  })

  test('error: any digit of a signature flipped fails it, and the block just when the rest is too light', async () => {
    const isFinalWithout = [true, false, false] // without 3, 4 or 5 of 12
    for (const [signer, expected] of isFinalWithout.entries()) {
      const { signature } = block.proofs[signer] ?? { signature: '' }
      for (let digit = 0; digit < signature.length; digit++) {
        const proofs = block.proofs.map((proof, index) =>
          index === signer ? { ...proof, signature: flipDigit(signature, digit) } : proof,
        )
        expect(await isFinal({ ...block, proofs })).toBe(expected)
      }
    }
  })

  test('behavior: the result is exactly that of the weights of the valid signatures', async () => {
    const weight = fc.bigInt({ min: 0n, max: 2n ** 100n })
    const cases = fc.tuple(weight, weight, weight, fc.subarray([0, 1, 2]), fc.subarray([0, 1, 2]))
    await fc.assert(
      fc.asyncProperty(cases, async ([a, b, c, signers, broken]) => {
        const by = new Map(block.proofs.map(({ publicKey }, index) => [publicKey, [a, b, c][index] ?? 0n]))
        const proofs = signers.map((index) => {
          const proof = block.proofs[index] ?? { publicKey: '', signature: '' }
          return broken.includes(index) ? { ...proof, signature: flipDigit(proof.signature, 77) } : proof
        })
        const good = signers.filter((index) => !broken.includes(index))
        const sum = good.reduce((total, index) => total + ([a, b, c][index] ?? 0n), 0n)
        expect(await isFinal({ ...block, proofs }, by)).toBe(sum * 3n > (a + b + c) * 2n)
      }),
      { numRuns: 60 },
    )
  })
})

describe('many signatures', () => {
  const message = finalityMessage(block, CHAIN)
  const proofs = Array.from({ length: 120 }, () => secp256k1.keygen()).map(({ publicKey, secretKey }) => ({
    publicKey: `02${bytesToHex(publicKey)}`,
    signature: `02${bytesToHex(secp256k1.sign(message, secretKey))}`,
  }))
  const signers = equalWeights(proofs.map(({ publicKey }) => publicKey))

  /** How often other work ran during some work. */
  async function turnsDuring(work: Promise<unknown>): Promise<number> {
    let [turns, isOver] = [0, false]
    const turn = (): void => {
      turns += 1
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await work
    isOver = true
    return turns
  }

  test('behavior: after every eight of secp256k1, other work has its turn', async () => {
    // 81 of 120 are more than two thirds.
    expect(await turnsDuring(checkFinality({ ...block, proofs }, signers, CHAIN))).toBeGreaterThanOrEqual(10)
  })

  test('behavior: blocks that are checked at the same time share the turns', async () => {
    const check = () => checkFinality({ ...block, proofs }, signers, CHAIN)
    expect(await turnsDuring(Promise.all([check(), check(), check()]))).toBeGreaterThanOrEqual(30)
  })

  test('behavior: a check that is aborted does not continue', async () => {
    const controller = new AbortController()
    const wrong = proofs.map((proof) => ({ ...proof, signature: flipDigit(proof.signature, 40) }))
    const checking = checkFinality({ ...block, proofs: wrong }, signers, CHAIN, controller.signal)
    controller.abort(new Error('it took too long'))
    await expect(checking).rejects.toThrow('it took too long')
  })
})

describe('protocol 1.x', () => {
  test('default: a signature of the public main network, over block hash and era alone', async () => {
    const hash = 'abbcdc782a18a9ba31826b07c838a69a6b790c8b36a0fd5f0818f757834d82f5'
    const publicKey = '01601bda04ea125e2ca1881e817c46403b32862eb053370e0b93adad220378578a'
    const signature =
      '01d45c16e488c3e16bb1e1134f9a92fb42492498ab2233a643a159281ea8a2a497edd19b6ae56f70c32c12f0341a9ded719033285db17c614337e363fdd8e41f05'
    const header = { ...(block as Block).header, version: 1 as const, eraId: 11 }
    const message = finalityMessage({ hash, header }, 'any chain')
    expect(await verifySignature(publicKey, message, signature)).toBeTrue()
    expect(finalityMessage({ hash, header: { ...header, version: 2 } }, 'any chain')).not.toEqual(message)
  })
})

describe('verifySignature', () => {
  const message = finalityMessage(block, CHAIN)
  const secret = secp256k1.utils.randomSecretKey()
  const publicKey = `02${bytesToHex(secp256k1.getPublicKey(secret, true))}`
  const signature = `02${bytesToHex(secp256k1.sign(message, secret))}`

  test('default: secp256k1', async () => {
    expect(await verifySignature(publicKey, message, signature)).toBeTrue()
    expect(await verifySignature(publicKey, message, flipDigit(signature, 40))).toBeFalse()
  })

  test('error: the signature of another algorithm', async () => {
    expect(await verifySignature(publicKey, message, `01${signature.slice(2)}`)).toBeFalse()
    expect(await verifySignature('00', message, `00${signature.slice(2)}`)).toBeFalse()
  })

  test('error: a malformed key', async () => {
    const of = (key: string) => verifySignature(key, message, `${key.slice(0, 2)}${signature.slice(2)}`)
    const digits = 'ab'.repeat(31)
    expect(await of(`01${digits}zz`)).toBeFalse()
    expect(await of(`01${digits}abc`)).toBeFalse()
    expect(await of(`01${digits}`)).toBeFalse()
    expect(await of(`01${digits}AB`)).toBeFalse()
    expect(await of(`${publicKey}0`)).toBeFalse()
    expect(await of('')).toBeFalse()
  })

  test('error: a key that is not a point of its curve', async () => {
    expect(await verifySignature(`02${'ff'.repeat(33)}`, message, signature)).toBeFalse()
    expect(await verifySignature(`01${'ff'.repeat(32)}`, message, `01${signature.slice(2)}`)).toBeFalse()
  })
})
