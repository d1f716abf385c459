/** The parts of an OpenAPI schema that this page uses. */
interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  pattern?: string
  minimum?: number
  maximum?: number
  default?: unknown
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Answer {
  description: string
  content?: Readonly<Record<string, { schema: Schema }>>
}

interface Operation {
  summary?: string
  description?: string
  parameters?: readonly Parameter[]
  responses: Readonly<Record<string, Answer>>
}

/** The parts of an OpenAPI document that this page uses. */
export interface OpenapiDocument {
  paths: Readonly<Record<string, { get?: Operation }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

const cell = (text: string | undefined): string =>
  (text ?? '').replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Writes a schema's type in words, with its limits. */
function formatType(schema: Schema): string {
  if (schema.$ref) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((each) => `\`${JSON.stringify(each)}\``).join(' or ')
  if (schema.anyOf) return schema.anyOf.map(formatType).join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? formatType(schema.items) : 'anything'}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  return `${type}${formatRange(schema)}`
}

function formatRange({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined && maximum < 2 ** 53) return `, ${minimum} to ${maximum}`
  return minimum === undefined ? '' : `, at least ${minimum}`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}`

/** What several operations have in common is written once: the most frequent row of each key. */
class Shared {
  private readonly uses = new Map<string, Map<string, number>>()

  add(key: string, row: string): void {
    const rows = this.uses.get(key) ?? new Map<string, number>()
    this.uses.set(key, rows.set(row, (rows.get(row) ?? 0) + 1))
  }

  /** The shared row of each key. */
  get rows(): Map<string, string> {
    const most = [...this.uses].map(
      ([key, rows]) => [key, [...rows].reduce((best, each) => (each[1] > best[1] ? each : best))] as const,
    )
    return new Map(most.filter(([, [, uses]]) => uses > 2).map(([key, [row]]) => [key, row]))
  }

  has = (key: string, row: string): boolean => this.rows.get(key) === row
}

const parameterKey = ({ name, in: place }: Parameter): string => `${place} ${name}`

const parameterCells = (parameter: Parameter): string[] => [
  `\`${parameter.name}\`${parameter.required ? ' (required)' : ''}`,
  formatType(parameter.schema),
  cell(parameter.description ?? parameter.schema.description),
]

const asked = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.filter((parameter) => parameter.in !== 'header')

const bodyOf = ({ content = {} }: Answer): string =>
  Object.entries(content)
    .map(([type, { schema }]) => (schema.$ref ? formatType(schema) : `\`${type}\``))
    .join(', ')

const answerText = (answer: Answer): string =>
  [bodyOf(answer), cell(answer.description)].filter(Boolean).join(': ')

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

interface SharedParts {
  parameters: Shared
  answers: Shared
}

function collectShared(operations: readonly Operation[]): SharedParts {
  const shared = { parameters: new Shared(), answers: new Shared() }
  for (const operation of operations) {
    for (const parameter of asked(operation))
      shared.parameters.add(parameterKey(parameter), rowOf(parameterCells(parameter)))
    for (const [status, answer] of Object.entries(operation.responses))
      if (status >= '400') shared.answers.add(status, answerText(answer))
  }
  return shared
}

function formatOperation(path: string, operation: Operation, shared: SharedParts): string {
  const isShared = (parameter: Parameter): boolean =>
    shared.parameters.has(parameterKey(parameter), rowOf(parameterCells(parameter)))
  const known = asked(operation).filter(isShared)
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({ status, answer }))
  const common = answers.filter(({ status, answer }) => shared.answers.has(status, answerText(answer)))
  const own = answers.filter((each) => !common.includes(each))
  const [fine, failed] = [
    own.filter(({ status }) => status < '400'),
    own.filter(({ status }) => status >= '400'),
  ]
  const parts = [
    `### \`GET ${path}\``,
    operation.summary && `${operation.summary}.`,
    known.length > 0 &&
      `Takes ${known.map(({ name }) => `\`${name}\``).join(', ')} ([shared](#shared-parameters)).`,
    table(
      ['parameter', 'type', 'description'],
      asked(operation)
        .filter((parameter) => !isShared(parameter))
        .map(parameterCells),
    ),
    [
      ...fine.map(({ status, answer }) => `${status} ${bodyOf(answer)}`),
      ...failed.map(({ status, answer }) => `${status} ${answerText(answer)}`.replace(/\.$/, '')),
      ...(common.length > 0
        ? [`[errors](#shared-errors) ${common.map(({ status }) => status).join(', ')}`]
        : []),
    ]
      .map((each) => `- ${each}`)
      .join('\n'),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function formatSchema(name: string, schema: Schema): string {
  const { description, properties = {}, required = [], anyOf } = schema
  const fields = Object.entries(properties).map(([field, schema]) => {
    const about = [formatType(schema), required.includes(field) ? '' : 'optional'].filter(Boolean).join(', ')
    return `- \`${field}\` (${about})${schema.description ? `: ${cell(schema.description)}` : ''}`
  })
  const kinds = anyOf === undefined ? '' : `One of ${formatType(schema)}.`
  return [`### ${name}`, description ?? '', kinds, fields.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Writes the sections of all endpoints and bodies, for the end of a page. */
export function formatEndpoints({ paths, components }: OpenapiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, { get }]) => (get ? [[path, get] as const] : []))
  const shared = collectShared(operations.map(([, operation]) => operation))
  const schemas = Object.entries(components.schemas)
    .map(([name, schema]) => formatSchema(name, schema))
    .join('\n\n')
  return `## Operations

${operations.map(([path, operation]) => formatOperation(path, operation, shared)).join('\n\n')}

## Shared parameters

${['| parameter | type | description |', '| --- | --- | --- |', ...shared.parameters.rows.values()].join('\n')}

## Shared errors

Each has the body [Error](#error).

${[...shared.answers.rows].map(([status, text]) => `- **${status}** ${text.replace(/^\[Error\]\(#error\): /, '')}`).join('\n')}

## Bodies

${schemas}
`
}
