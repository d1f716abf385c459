import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { UpstreamDataset } from './answerEia.ts'

const folder = fileURLToPath(new URL('../../fixtures/eia/', import.meta.url))

/** Reads the datasets in `fixtures/eia`. Import it as a macro, so that a binary contains them. */
export function readUpstreamDatasets(): UpstreamDataset[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.sort().map((name): UpstreamDataset => JSON.parse(readFileSync(`${folder}${name}`, 'utf8')))
}
