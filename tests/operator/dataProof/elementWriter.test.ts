import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { hashTrieElement } from '../../../src/casper/proof/trieElement.ts'
import { formatElement, openElementFile } from '../../../src/operator/dataProof/elementFile.ts'
import { createElementWriter } from '../../../src/operator/dataProof/elementWriter.ts'
import { disk } from '../../../src/operator/export/staging.ts'
import { createFolder } from '../../support/folder.ts'

const elementOf = (text: string) => {
  const bytes = Buffer.from(text)
  return { bytes, hash: hashTrieElement(bytes) }
}

const [first, second] = [elementOf('first'), elementOf('second')]

test('behavior: a flush during another one waits for it, so that the order stays and all is on the disk', async () => {
  using folder = createFolder()
  const path = folder.write('proof.jsonl', '')
  using elements = openElementFile(path)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const appended: string[] = []
  const append = async (file: string, content: string) => {
    appended.push(content)
    if (appended.length === 1) await released
    await disk.append(file, content)
  }
  const writer = createElementWriter(path, elements, { append })
  await writer.add([first])
  const one = writer.flush()
  const empty = writer.flush().then(() => readFileSync(path, 'utf8'))
  await writer.add([second])
  const other = writer.flush()
  release()
  await Promise.all([one, other])
  expect(await empty).toStartWith(formatElement(first.bytes))
  expect(readFileSync(path, 'utf8')).toBe(formatElement(first.bytes) + formatElement(second.bytes))
})

test('error: after a failed write, nothing more is written', async () => {
  using folder = createFolder()
  const path = folder.write('proof.jsonl', '')
  using elements = openElementFile(path)
  let fails = true
  const append = async (file: string, content: string) => {
    if (fails) throw new Error('the disk is full')
    await disk.append(file, content)
  }
  const writer = createElementWriter(path, elements, { append })
  await writer.add([first])
  await writer.flush().catch(() => {})
  fails = false
  await writer.add([second])
  expect(await writer.flush().catch((error: Error) => error.message)).toBe('the disk is full')
  expect(readFileSync(path, 'utf8')).toBe('')
})
