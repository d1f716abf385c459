import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type ClassElement,
  type Comment,
  type ExportNamedDeclaration,
  type ParamPattern,
  type Program,
  parseSync,
  type Span,
  type TSSignature,
} from 'oxc-parser'
import { type Doc, parseDoc } from './tsdoc.ts'

interface Parameter {
  /** With `?` if it is optional. */
  name: string
  type: string
}

interface Member {
  name: string
  type: string
  doc: Doc
  /** Only of a method. */
  signatures: string[]
  parameters: Parameter[]
}

/** An exported declaration, as its source has it. */
export interface Declaration {
  kind: 'function' | 'variable' | 'interface' | 'class' | 'type'
  doc: Doc
  /** Of a function one for each overload. */
  signatures: string[]
  parameters: Parameter[]
  members: Member[]
  /** What it extends. */
  parents: string[]
}

const empty = { signatures: [], parameters: [], members: [], parents: [] }

/** Finds what a file exports by a name, in the file that declares it. */
export function findDeclaration(file: string, name: string): Declaration {
  const source = open(file)
  const from = sourceOf(source, name)
  if (from !== null) return findDeclaration(Bun.resolveSync(from, dirname(file)), name)
  const found = source.program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && namesOf(statement).includes(name) ? [statement] : [],
  )
  const [first] = found
  if (first === undefined) throw new Error(`${file} does not export ${name}`)
  const [declaration = read(source, first), ...overloads] = found.map((each) => read(source, each))
  const signatures = [declaration, ...overloads].flatMap((each) => each.signatures)
  return { ...declaration, signatures, doc: source.docOf(first) }
}

/** Where a file re-exports a name from; null if it does not. */
function sourceOf({ program }: Source, name: string): string | null {
  const found = program.body.find(
    (statement) => statement.type === 'ExportNamedDeclaration' && exportedNames(statement).includes(name),
  )
  return found?.type === 'ExportNamedDeclaration' ? (found.source?.value ?? null) : null
}

/** The names of a statement such as `export { a } from './a.ts'`. */
export const exportedNames = ({ specifiers }: ExportNamedDeclaration): string[] =>
  specifiers.map(({ exported }) => ('name' in exported ? exported.name : exported.value))

function namesOf({ declaration }: ExportNamedDeclaration): string[] {
  if (declaration === null) return []
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : []
}

function read(source: Source, { declaration }: ExportNamedDeclaration): Omit<Declaration, 'doc'> {
  switch (declaration?.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return {
        ...empty,
        kind: 'function',
        signatures: [source.between(declaration.start, declaration.body?.start ?? declaration.end)],
        parameters: readParameters(source, declaration.params),
      }
    case 'VariableDeclaration': {
      const [variable] = declaration.declarations
      const init = variable?.init
      if (init?.type === 'ArrowFunctionExpression') {
        const signature = source.between(declaration.start, init.body.start).replace(/\s*=>\s*\(?$/, '')
        return {
          ...empty,
          kind: 'function',
          signatures: [signature],
          parameters: readParameters(source, init.params),
        }
      }
      return {
        ...empty,
        kind: 'variable',
        signatures: [source.between(declaration.start, init?.start ?? declaration.end).replace(/\s*=$/, '')],
      }
    }
    case 'TSInterfaceDeclaration':
      return {
        ...empty,
        kind: 'interface',
        members: declaration.body.body.flatMap((member) => readMember(source, member)),
        parents: declaration.extends.map((each) => source.of(each)),
      }
    case 'ClassDeclaration':
      return {
        ...empty,
        kind: 'class',
        members: declaration.body.body.flatMap((member) => readClassMember(source, member)),
        parents: declaration.superClass === null ? [] : [source.of(declaration.superClass)],
      }
    case 'TSTypeAliasDeclaration':
      return { ...empty, kind: 'type', signatures: [source.of(declaration)] }
    default:
      throw new Error(`cannot describe a ${declaration?.type}`)
  }
}

const readParameters = (source: Source, params: readonly ParamPattern[]): Parameter[] =>
  params.map((param) => {
    if (param.type === 'RestElement' || param.type === 'TSParameterProperty')
      return { name: source.of(param), type: '' }
    const [target, hasDefault] = param.type === 'AssignmentPattern' ? [param.left, true] : [param, false]
    const name = target.type === 'Identifier' ? target.name : 'options'
    const isOptional = hasDefault || /^\w+\?/.test(source.of(target))
    return { name: `${name}${isOptional ? '?' : ''}`, type: typeOf(source, target) }
  })

/** The type that is written after a colon. */
function typeOf(source: Source, node: object): string {
  const annotation = 'typeAnnotation' in node ? node.typeAnnotation : null
  if (annotation === null || typeof annotation !== 'object' || !('typeAnnotation' in annotation)) return ''
  return source.of(annotation.typeAnnotation as Span)
}

function readMember(source: Source, member: TSSignature): Member[] {
  const doc = source.docOf(member)
  if (doc.isInternal || !('key' in member)) return []
  const name = `${source.of(member.key)}${member.optional ? '?' : ''}`
  if (member.type === 'TSMethodSignature')
    return [
      {
        name,
        type: '',
        doc,
        signatures: [source.of(member)],
        parameters: readParameters(source, member.params),
      },
    ]
  return [{ name, type: typeOf(source, member), doc, signatures: [], parameters: [] }]
}

/** The fields of an error. Only wattfeed creates errors, and their name is the title of the page. */
function readClassMember(source: Source, member: ClassElement): Member[] {
  const documented = (node: Span, name: string, type: string): Member[] => {
    const doc = source.docOf(node)
    return doc.isInternal || name === 'name' ? [] : [{ name, type, doc, signatures: [], parameters: [] }]
  }
  const isField = member.type === 'PropertyDefinition' || member.type === 'TSAbstractPropertyDefinition'
  if (isField && member.accessibility !== 'private') {
    const value = member.value === null ? '' : source.of(member.value).replace(/ as const$/, '')
    return documented(member, source.of(member.key), typeOf(source, member) || value)
  }
  if (member.type !== 'MethodDefinition' || member.kind !== 'constructor') return []
  return member.value.params.flatMap((param) => {
    if (param.type !== 'TSParameterProperty' || param.accessibility === 'private') return []
    const { parameter } = param
    const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter
    return target.type === 'Identifier' ? documented(param, target.name, typeOf(source, target)) : []
  })
}

/** A file's text and comments. */
class Source {
  readonly program: Program
  private readonly comments: readonly Comment[]

  constructor(private readonly text: string) {
    const { program, comments } = parseSync('source.ts', text)
    this.program = program
    this.comments = comments
  }

  /** The text of a node, or from one place to another. */
  of = ({ start, end }: Span): string => this.text.slice(start, end)

  between = (start: number, end: number): string => this.text.slice(start, end).trim()

  /** The TSDoc right before a node. */
  docOf({ start }: Span): Doc {
    const found = this.comments.findLast(
      ({ type, value, end }) =>
        type === 'Block' && value.startsWith('*') && end <= start && this.between(end, start) === '',
    )
    return parseDoc(found?.value.slice(1) ?? '')
  }
}

const sources = new Map<string, Source>()

/** Parses a file once. */
function open(file: string): Source {
  const known = sources.get(file) ?? new Source(readFileSync(file, 'utf8'))
  sources.set(file, known)
  return known
}
