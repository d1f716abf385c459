import { Type } from '@sinclair/typebox'

export const fieldsParameter = (
  names: readonly string[],
  { description, examples }: { description: string; examples: readonly string[] },
) =>
  Type.Optional(
    Type.String({
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
      description,
      examples,
      error: `one or more of ${names.join(', ')}, separated by commas`,
    }),
  )
