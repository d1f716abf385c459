import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { hashTrieElement } from '../../../packages/casper/src/proof/trieElement.ts'
import { formatElement } from '../../../src/operator/dataProof/elements.ts'
import { ProofParts, partPath } from '../../../src/operator/dataProof/proofParts.ts'

const elementOf = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return { bytes, hash: hashTrieElement(bytes) }
}

const [first, second] = [elementOf('first'), elementOf('second')]
const whole = `header\n${formatElement(first.bytes)}${formatElement(second.bytes)}`

const begin = (folder: string) =>
  ProofParts.begin(join(folder, 'parts'), { header: 'header\n', purpose: '', partBytes: 1 })

test('default: the file has the header and each element once, in order', async () => {
  using folder = createFolder()
  const parts = await begin(folder.path)
  await parts.add([first])
  await parts.add([first, second])
  await parts.finish(join(folder.path, 'proof.jsonl'))
  expect(readFileSync(join(folder.path, 'proof.jsonl'), 'utf8')).toBe(whole)
})

test('error: after a failed write, no part is left out', async () => {
  using folder = createFolder()
  const parts = await begin(folder.path)
  // The part cannot be moved to its place.
  const place = partPath(join(folder.path, 'parts'), 1)
  mkdirSync(join(place, 'in-the-way'), { recursive: true })
  await expect(parts.add([first])).rejects.toThrow(/EISDIR|ENOTEMPTY/)
  rmSync(place, { recursive: true })
  await parts.add([second])
  await parts.finish(join(folder.path, 'proof.jsonl'))
  expect(readFileSync(join(folder.path, 'proof.jsonl'), 'utf8')).toBe(whole)
})
