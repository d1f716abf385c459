import { readFile, writeFile } from 'node:fs/promises'
import { artifactPath } from '../src/operator/eligibility/packages.ts'

/** The used part of snarkjs' Groth16 verification key on BN254. */
interface SnarkjsKey {
  protocol: string
  curve: string
  nPublic: number
  vk_alpha_1: string[]
  vk_beta_2: string[][]
  vk_gamma_2: string[][]
  vk_delta_2: string[][]
  IC: string[][]
}

/** Path of the contract's verification key. */
export const verificationKeyPath = new URL('../contracts/src/verification_key.rs', import.meta.url).pathname

/** Path of the same key for `claim`, which verifies a proof before it pays for a transaction. */
export const claimKeyPath = new URL('../src/operator/eligibility/verificationKey.json', import.meta.url)
  .pathname

/** Reads the verification key from the prover's parameters. */
async function readKey(): Promise<SnarkjsKey> {
  const key: SnarkjsKey = JSON.parse(await readFile(artifactPath('json'), 'utf8'))
  if (key.protocol !== 'groth16' || key.curve !== 'bn128' || key.nPublic !== 4)
    throw new Error('the parameters are not those of a Groth16 circuit on BN254 with four public inputs')
  return key
}

/** Generates the verification key of `claim` from the prover's parameters. */
export async function formatClaimKey(): Promise<string> {
  const { vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2, IC } = await readKey()
  const key = { alpha: vk_alpha_1, beta: vk_beta_2, gamma: vk_gamma_2, delta: vk_delta_2 }
  // The third coordinate is always 1, so it is omitted.
  const points = Object.entries(key).map(([name, point]) => [name, point.slice(0, 2)])
  const sums = IC.map((point) => point.slice(0, 2))
  return `${JSON.stringify({ ...Object.fromEntries(points), ic: sums }, null, 2)}\n`
}

/** Generates the contract's verification key from the prover's parameters. */
export async function formatVerificationKey(): Promise<string> {
  const key = await readKey()
  return `//! Public verification key of Semaphore v4 for trees of depth 16: written by \`contracts/verification-key\`.
//! The contract itself holds what \`semaphore/prepared_key.rs\` makes of it.
#![cfg(test)]
#![cfg_attr(rustfmt, rustfmt_skip)]
use ark_bn254::{Fq2, G1Affine, G2Affine};
use ark_ff::MontFp;

pub const ALPHA: G1Affine = ${g1(key.vk_alpha_1)};
pub const BETA: G2Affine = ${g2(key.vk_beta_2)};
pub const GAMMA: G2Affine = ${g2(key.vk_gamma_2)};
pub const DELTA: G2Affine = ${g2(key.vk_delta_2)};
pub const IC: [G1Affine; 5] = [
${key.IC.map((point) => `    ${g1(point)},\n`).join('')}];
`
}

const g1 = ([x, y]: readonly string[]): string => `G1Affine::new_unchecked(${fq(x)}, ${fq(y)})`
const g2 = ([x, y]: readonly string[][]): string => `G2Affine::new_unchecked(${fq2(x)}, ${fq2(y)})`
const fq2 = (parts: readonly string[] = []): string => `Fq2::new(${fq(parts[0])}, ${fq(parts[1])})`

function fq(number = ''): string {
  if (!/^\d{1,77}$/.test(number)) throw new Error('a coordinate is not a decimal number')
  return `MontFp!("${number}")`
}

if (import.meta.main) {
  await writeFile(verificationKeyPath, await formatVerificationKey())
  await writeFile(claimKeyPath, await formatClaimKey())
}
