import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'

/** The parts of a GitHub workflow that tests read. */
export interface Workflow {
  readonly on: Readonly<Record<string, { branches?: string[]; tags?: string[] } | null>>
  readonly permissions: Readonly<Record<string, string>>
  readonly concurrency: { group: string }
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly needs?: string | readonly string[]
  /** The workflow that the job calls. It has no steps of its own. */
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly container?: { image: string }
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly { uses?: string; run?: string }[]
}

const folder = join(import.meta.dir, '../../.github/workflows')

/** The text of each workflow, by the name of its file. */
export const workflowTexts: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
)

export const readWorkflow = (name: string): Workflow => YAML.parse(workflowTexts.get(name) ?? '') as Workflow
