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

function formatOperation(
  path: string,
  { summary, description, parameters = [], responses }: Operation,
): string {
  const asked = parameters.filter((parameter) => parameter.in !== 'header')
  const parts = [
    `### \`GET ${path}\``,
    [summary && `${summary}.`, description].filter(Boolean).join(' '),
    table(
      ['parameter', 'in', 'type', 'description'],
      asked.map((parameter) => [
        `\`${parameter.name}\`${parameter.required ? ' (required)' : ''}`,
        parameter.in,
        formatType(parameter.schema),
        cell(parameter.description ?? parameter.schema.description),
      ]),
    ),
    table(
      ['status', 'body', 'description'],
      Object.entries(responses).map(([status, answer]) => [
        status,
        Object.entries(answer.content ?? {})
          .map(([type, { schema }]) => (schema.$ref ? formatType(schema) : `\`${type}\``))
          .join(', '),
        cell(answer.description),
      ]),
    ),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function formatSchema(name: string, { description, properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, schema]) => [
    `\`${field}\`${required.includes(field) ? '' : ' (optional)'}`,
    formatType(schema),
    cell(schema.description),
  ])
  return [`### ${name}`, description ?? '', table(['field', 'type', 'description'], rows)]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Writes the page of all endpoints and bodies. */
export function formatEndpoints({ paths, components }: OpenapiDocument): string {
  const operations = Object.entries(paths)
    .flatMap(([path, { get }]) => (get ? [formatOperation(path, get)] : []))
    .join('\n\n')
  const schemas = Object.entries(components.schemas)
    .map(([name, schema]) => formatSchema(name, schema))
    .join('\n\n')
  return `# Endpoints

Every endpoint with its parameters and answers, generated from the server's OpenAPI document (\`/openapi/json\`). [HTTP API](http.md) explains
what they have in common.

## Operations

${operations}

## Bodies

${schemas}
`
}
