import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { type Declaration, exportedNames, findDeclaration } from './declaration.ts'
import { type Doc, firstParagraph, type LinkTo, linkInline } from './tsdoc.ts'

/** The entries of the packages that are published: the name in an import, and the folder of its `index.ts`. */
export const entries = [
  ['wattfeed', 'packages/wattfeed/src/client'],
  ['wattfeed/history', 'packages/wattfeed/src/history'],
  ['wattfeed/live', 'packages/wattfeed/src/live'],
  ['wattfeed/provenance', 'packages/wattfeed/src/provenance'],
  ['wattfeed/series', 'packages/wattfeed/src/series'],
  ['wattfeed-cli/devnet', 'src/devnet'],
] as const

export interface LibraryPage {
  /** Path below `/docs`. */
  name: string
  /** Markdown. */
  text: string
}

interface PublicName {
  name: string
  entry: string
  declaration: Declaration
}

/** Writes the reference of the library from its sources, a page for each entry and for each export. */
export function libraryPages(root: string): LibraryPage[] {
  const first = new Map<string, PublicName>()
  const lists = entries.map(([entry, folder]) => {
    const names = listExports(root, entry, folder)
    // A name that several entries export has its page at the first one.
    for (const each of names) if (!first.has(each.name)) first.set(each.name, each)
    return { entry, folder, names }
  })
  const addressOf = (name: string): string | null => {
    const [own = '', member] = name.split('.')
    const found = first.get(own)
    return found === undefined
      ? null
      : `/docs/${pageOf(found)}${member === undefined ? '' : `#${member.toLowerCase()}`}`
  }
  const modules = lists.map(({ entry, folder, names }) => {
    const parts = groups.flatMap(([title, kind]) => {
      const rows = names
        .filter(({ declaration }) => declaration.kind === kind)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, declaration }) => [
          `[${name}](${addressOf(name)})`,
          linkInline(firstParagraph(declaration.doc.text), addressOf),
        ])
      return rows.length === 0 ? [] : [`## ${title}`, table(['name', 'description'], rows)]
    })
    return { name: `library/${entry}`, text: [`# ${entry}`, moduleDoc(root, folder), ...parts].join('\n\n') }
  })
  const exports = [...first.values()].map((each) => ({
    name: pageOf(each),
    text: formatExport(each, (name) => first.get(name), addressOf),
  }))
  return [...modules, ...exports]
}

const pageOf = ({ entry, name }: { entry: string; name: string }): string => `library/${entry}/${name}`

/** Lists what an entry exports, each with its declaration. */
function listExports(root: string, entry: string, folder: string): PublicName[] {
  const index = join(root, folder, 'index.ts')
  const { program } = parseSync(index, readFileSync(index, 'utf8'))
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source === null) return []
    return exportedNames(statement).map((name) => ({
      name,
      entry,
      declaration: findDeclaration(index, name),
    }))
  })
}

const groups = [
  ['Functions', 'function'],
  ['Variables', 'variable'],
  ['Interfaces', 'interface'],
  ['Errors', 'class'],
  ['Types', 'type'],
] as const

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

/**
 * Writes a type as code in which the names of the library are links. Markdown has no links within code, so the code between two
 * links is in backticks of its own. NUL, which no source has, marks them until adjacent parts are joined.
 */
function linkType(type: string, to: LinkTo): string {
  const parts = type.replaceAll(/\s+/g, ' ').split(/\b([A-Z]\w+)\b/)
  return parts
    .map((part, at) => {
      const target = at % 2 === 1 ? to(part) : null
      if (target !== null) return `[\`${part}\`](${target})`
      return part === '' ? '' : `\0${part}\0`
    })
    .join('')
    .replaceAll('\0\0', '')
    .replaceAll('\0', '`')
}

/** Writes what belongs to a function, below its heading. */
function formatFunction(
  declaration: Pick<Declaration, 'doc' | 'signatures' | 'parameters'>,
  level: number,
  to: LinkTo,
) {
  const { doc, signatures, parameters } = declaration
  const title = (text: string): string => `${'#'.repeat(level)} ${text}`
  const rows = parameters.map(({ name, type }) => [
    `\`${name}\``,
    linkType(type, to),
    linkInline(doc.params.get(name.replace(/\?$/, '')) ?? '', to),
  ])
  return [
    code(signatures.join('\n')),
    ...formatDoc(doc, level, to),
    ...(rows.length > 0 ? [title('Parameters'), table(['parameter', 'type', 'description'], rows)] : []),
    ...(doc.returns === '' ? [] : [title('Returns'), linkInline(doc.returns, to)]),
    ...(doc.throws.length === 0
      ? []
      : [title('Throws'), doc.throws.map((each) => `- ${linkInline(each, to)}`).join('\n')]),
    ...(doc.rpc === '' ? [] : [title('RPC methods'), doc.rpc]),
  ]
}

const code = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``

const formatDoc = (doc: Doc, level: number, to: LinkTo): string[] => [
  linkInline(doc.text, to),
  ...doc.examples.flatMap((example) => [`${'#'.repeat(level)} Example`, example]),
  ...(doc.see.length === 0 ? [] : [doc.see.map((each) => `See ${linkInline(each, to)}`).join('\n\n')]),
]

function formatExport(
  { name, entry, declaration }: PublicName,
  find: (name: string) => PublicName | undefined,
  to: LinkTo,
): string {
  const { kind, doc, members, parents, signatures } = declaration
  const inherited = parents.flatMap((parent) => find(parent)?.declaration.members ?? [])
  const isFunction = kind === 'function'
  const methods = members.filter((member) => member.signatures.length > 0)
  const properties = members.filter((member) => member.signatures.length === 0)
  const docOf = ({ name: own, doc: found }: (typeof members)[number]): string =>
    found.text || (inherited.find((each) => each.name === own)?.doc.text ?? '')
  const rows = properties.map((member) => [
    `<a id="${member.name.replace('?', '').toLowerCase()}"></a>\`${member.name}\``,
    linkType(member.type, to),
    [linkInline(docOf(member), to), member.doc.default && `Default: ${linkInline(member.doc.default, to)}.`]
      .filter(Boolean)
      .join(' '),
  ])
  return [
    `# ${isFunction ? `${name}()` : name}`,
    `From [${entry}](/docs/library/${entry}).`,
    ...(isFunction
      ? formatFunction(declaration, 2, to)
      : [...(signatures.length > 0 ? [code(signatures.join('\n'))] : []), ...formatDoc(doc, 2, to)]),
    ...(parents.length > 0 ? [`Extends ${parents.map((parent) => linkType(parent, to)).join(', ')}.`] : []),
    ...(rows.length > 0 ? ['## Properties', table(['property', 'type', 'description'], rows)] : []),
    ...(methods.length > 0 ? ['## Methods'] : []),
    ...methods.flatMap((method) => [`### ${method.name}()`, ...formatFunction(method, 4, to)]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the text of the comment at the start of an entry's source. */
function moduleDoc(root: string, folder: string): string {
  const index = readFileSync(join(root, folder, 'index.ts'), 'utf8')
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(index) ?? []
  const [text = ''] = comment.replace(/^ *\* ?/gm, '').split(/^@/m)
  return text.trim()
}

/** The page of a source file that is an entry of the library; null for others. */
export function pageOfSource(file: string): string | null {
  const entry = entries.find(([, folder]) => file === `${folder}/index.ts`)
  return entry === undefined ? null : `/docs/library/${entry[0]}`
}
