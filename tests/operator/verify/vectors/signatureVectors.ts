import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

/** A signature, and whether it is valid. */
export interface SignatureVector {
  name: string
  public_key: string
  message: string
  signature: string
  is_valid: boolean
}

const message = new TextEncoder().encode('a block')
const { n: ED_ORDER } = ed25519.Point.CURVE()
const FIELD = ed25519.Point.Fp.ORDER
const { n: SECP256K1_ORDER } = secp256k1.Point.CURVE()

const littleEndian = (value: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 255n))
const bigEndian = (value: bigint): Uint8Array => littleEndian(value).reverse()
const flip = (bytes: Uint8Array, index: number): Uint8Array => bytes.with(index, (bytes[index] ?? 0) ^ 1)

function vector(
  tag: '01' | '02',
  name: string,
  key: Uint8Array,
  signature: Uint8Array,
  isValid = false,
): SignatureVector {
  return {
    name: `${tag === '01' ? 'Ed25519' : 'secp256k1'}: ${name}`,
    public_key: tag + bytesToHex(key),
    message: bytesToHex(message),
    signature: tag + bytesToHex(signature),
    is_valid: isValid,
  }
}

/** All points of small order: multiples of one of order 8. */
function smallPoints(): Uint8Array[] {
  const { Point } = ed25519
  const order8 = Point.fromBytes(
    littleEndian(0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n),
  )
  const points = [Point.ZERO]
  while (points.length < 8) points.push((points.at(-1) ?? Point.ZERO).add(order8))
  return points.map((point) => point.toBytes())
}

function edVectors(): SignatureVector[] {
  const secret = new Uint8Array(32).fill(3)
  const key = ed25519.getPublicKey(secret)
  const signature = ed25519.sign(message, secret)
  const [r, s] = [signature.slice(0, 32), signature.slice(32)]
  const scalar = BigInt(`0x${bytesToHex(s.toReversed())}`)
  const zero = littleEndian(0n)
  // The sum with a point of small order has the same signatures, if they are verified with the cofactor.
  const mixed = ed25519.Point.fromBytes(key)
    .add(ed25519.Point.fromBytes(smallPoints()[1] ?? zero))
    .toBytes()
  const of = (name: string, by: Uint8Array, what: Uint8Array, isValid = false) =>
    vector('01', name, by, what, isValid)
  return [
    of('valid', key, signature, true),
    of('a changed R', key, flip(signature, 0)),
    of('a changed S', key, flip(signature, 40)),
    of('another key', flip(key, 0), signature),
    of('S plus the order', key, concatBytes(r, littleEndian(scalar + ED_ORDER))),
    of('S is the order', key, concatBytes(r, littleEndian(ED_ORDER))),
    of('a key with a part of small order', mixed, signature),
    ...smallPoints().flatMap((point, index) => [
      of(`small order ${index} as key and R, S is 0`, point, concatBytes(point, zero)),
      of(`small order ${index} as key, R of order 1`, point, concatBytes(littleEndian(1n), zero)),
      of(`small order ${index} as R`, key, concatBytes(point, s)),
    ]),
    ...[0n, 1n, 18n].flatMap((excess) => [
      of(`a key that is not canonical: ${excess}`, littleEndian(FIELD + excess), signature),
      of(
        `an R that is not canonical: ${excess}`,
        littleEndian(1n),
        concatBytes(littleEndian(FIELD + excess), zero),
      ),
    ]),
    of('a key that is no point', littleEndian(2n), signature),
    of('an R that is no point', key, concatBytes(littleEndian(2n), s)),
  ]
}

function secp256k1Vectors(): SignatureVector[] {
  const secret = new Uint8Array(32).fill(5)
  const key = secp256k1.getPublicKey(secret)
  const signature = secp256k1.sign(message, secret)
  const { r, s } = secp256k1.Signature.fromBytes(signature)
  const joined = (one: bigint, other: bigint): Uint8Array => concatBytes(bigEndian(one), bigEndian(other))
  const digest = BigInt(`0x${new Bun.CryptoHasher('sha256').update(message).digest('hex')}`) % SECP256K1_ORDER
  const cancelling = secp256k1.Point.BASE.multiply(SECP256K1_ORDER - digest).toBytes()
  const of = (name: string, by: Uint8Array, what: Uint8Array, isValid = false) =>
    vector('02', name, by, what, isValid)
  return [
    of('valid', key, signature, true),
    of('the higher s', key, joined(r, SECP256K1_ORDER - s)),
    of('a changed r', key, flip(signature, 0)),
    of('a changed s', key, flip(signature, 63)),
    of('r is 0', key, joined(0n, 1n)),
    of('s is 0', key, joined(1n, 0n)),
    of('r is the order', key, joined(SECP256K1_ORDER, 1n)),
    of('s is the order', key, joined(1n, SECP256K1_ORDER)),
    of('r is past the field', key, joined(2n ** 256n - 1n, 1n)),
    of('a sum that is the point at infinity', cancelling, joined(1n, 1n)),
    of('a key of the wrong tag', key.with(0, 5), signature),
    of('a key that is no point', concatBytes(Uint8Array.of(2), bigEndian(5n)), signature),
    of('a key of zeros', new Uint8Array(33), signature),
  ]
}

/** Makes the signatures. They are the same every time. */
export function createSignatureVectors(): SignatureVector[] {
  const [ed, ecdsa] = [edVectors(), secp256k1Vectors()]
  const [valid = ecdsa[0]] = ed
  if (valid === undefined) throw new Error('there are signatures')
  return [
    ...ed,
    ...ecdsa,
    {
      ...valid,
      name: 'a signature of the other algorithm',
      signature: `02${valid.signature.slice(2)}`,
      is_valid: false,
    },
    {
      ...valid,
      name: 'a signature that is too short',
      signature: valid.signature.slice(0, -2),
      is_valid: false,
    },
    {
      ...valid,
      name: 'the key of the system',
      public_key: '00',
      signature: `00${valid.signature.slice(2)}`,
      is_valid: false,
    },
    { ...valid, name: 'no hex', signature: `${valid.signature.slice(0, -1)}g`, is_valid: false },
  ]
}
