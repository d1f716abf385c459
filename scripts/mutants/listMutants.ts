import { parseSync, Visitor } from 'oxc-parser'

/** A small change of a source: one operator, constant, condition or return value. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Lists the mutants of a source, in its order. Types have none, because nothing of them runs. */
export function listMutants(path: string, text: string): Mutant[] {
  const found: Mutant[] = []
  const types: Span[] = []
  const replace = ({ start, end }: Span, replacement: string) => found.push({ start, end, replacement })
  const operator = (node: { left: Span; right: Span; operator: string }) => {
    const replacement = operators[node.operator]
    const start = text.indexOf(node.operator, node.left.end)
    if (replacement !== undefined) replace({ start, end: start + node.operator.length }, replacement)
  }
  const negate = ({ test }: { test: Span | null }) => {
    if (test !== null) replace(test, `!(${text.slice(test.start, test.end)})`)
  }
  const type = (node: Span) => types.push(node)
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: negate,
    ConditionalExpression: negate,
    WhileStatement: negate,
    ForStatement: negate,
    Literal(node) {
      if (typeof node.value === 'number' || typeof node.value === 'bigint')
        replace(node, `(${node.raw} + ${unitOf(node.value)})`)
      if (typeof node.value === 'boolean') replace(node, String(!node.value))
    },
    ReturnStatement({ argument }) {
      if (argument !== null) replace(argument, 'undefined')
    },
    ArrowFunctionExpression({ body }) {
      if (body.type !== 'BlockStatement') replace(body, '(undefined)')
    },
    TSTypeAnnotation: type,
    TSTypeAliasDeclaration: type,
    TSInterfaceDeclaration: type,
    TSTypeParameterInstantiation: type,
    TSAsExpression: ({ typeAnnotation }) => type(typeAnnotation),
    TSSatisfiesExpression: ({ typeAnnotation }) => type(typeAnnotation),
    // A number as a key cannot be an expression.
    Property: ({ key, computed }) => computed || type(key),
    ImportDeclaration: type,
  }).visit(parseSync(path, text).program)
  const isOfType = ({ start, end }: Span): boolean =>
    types.some((each) => each.start <= start && end <= each.end)
  return found.filter((each) => !isOfType(each)).toSorted((a, b) => a.start - b.start || a.end - b.end)
}

const unitOf = (value: number | bigint): string => (typeof value === 'bigint' ? '1n' : '1')

/** Returns a source with a mutant in it. */
export const withMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end)
