import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The entries of the packages that are published: the folder of each, and its name in an import. */
export const entries: Readonly<Record<string, string>> = {
  'packages/wattfeed/src/client': 'wattfeed',
  'packages/wattfeed/src/history': 'wattfeed/history',
  'packages/wattfeed/src/live': 'wattfeed/live',
  'packages/wattfeed/src/provenance': 'wattfeed/provenance',
  'packages/wattfeed/src/series': 'wattfeed/series',
  'src/devnet': 'wattfeed-cli/devnet',
}

export interface PublicExport {
  readonly name: string
  readonly isType: boolean
  /** Its TSDoc without the comment's marks; empty without one. */
  readonly doc: string
  /** The code of its examples, and of those of its members. */
  readonly examples: readonly string[]
  /** Members of an interface without TSDoc. */
  readonly bareMembers: readonly string[]
}

/** Returns what an entry exports. */
export function exportsOf(entry: string): PublicExport[] {
  const index = join(root, entry, 'index.ts')
  return [...readFileSync(index, 'utf8').matchAll(EXPORT)].flatMap(([, typeOnly, names = '', from = '']) => {
    const listed = names.split(',').map((each) => each.trim())
    return listed
      .filter((each) => each !== '')
      .map((each) => {
        const name = each.replace(/^type /, '')
        const { doc, members } = find(name, sourceOf(name, from, index))
        const isType = typeOnly !== undefined || name !== each
        const examples = examplesIn(`/**${doc}*/${members}`)
        return { name, isType, doc, examples, bareMembers: bareMembersIn(members) }
      })
  })
}

const EXPORT = /^export (type )?\{([^}]*)\} from '([^']+)'/gm

/** The text of the file that declares a name, which a package's entry exports from one of its files. */
function sourceOf(name: string, from: string, importer: string): string {
  const path = Bun.resolveSync(from, dirname(importer))
  const text = readFileSync(path, 'utf8')
  const isListed = (names: string): boolean => new RegExp(`\\b${name}\\b`).test(names)
  const further = [...text.matchAll(EXPORT)].find(([, , names = '']) => isListed(names))
  return further === undefined ? text : sourceOf(name, further[3] ?? '', path)
}

/** Finds an export's TSDoc, and the members of an interface, which may have examples too. */
function find(name: string, text: string): { doc: string; members: string } {
  const comment = '/\\*\\*((?:(?!\\*/).)*)\\*/\\n'
  const kind = '(?:abstract |async )*(?:function\\*?|const|class|type)'
  const declaration = `export (?:${kind} ${name}\\b|interface ${name}\\b(.*?)\\n})`
  const [, doc = '', members = ''] = new RegExp(`(?:${comment})?${declaration}`, 's').exec(text) ?? []
  return { doc: withoutMarks(doc), members }
}

const withoutMarks = (comment: string): string => comment.replace(/^ *\* ?/gm, '').trim()

const bareMembersIn = (members: string): string[] =>
  [...members.matchAll(/(?<!\*\/)\n +(?:readonly )?(\w+)\??[:(<]/g)].map(([, name = '']) => name)

function examplesIn(text: string): string[] {
  return [...text.matchAll(/\/\*\*(.*?)\*\//gs)].flatMap(([, comment = '']) =>
    [...withoutMarks(comment).matchAll(/^@example\n```ts\n(.*?)^```/gms)].map(([, code = '']) => code),
  )
}
