import { expect, test } from 'bun:test'
import { TOML } from 'bun'
import fc from 'fast-check'
import { formatToml, type TomlTable } from '../src/toml.ts'

test('default: values before tables, tables before their tables, lists of tables', () => {
  const table = { b: { c: { d: [1, [2]] } }, a: 'x"\n', list: [{ e: true }, {}] }
  expect(formatToml(table)).toBe('a = "x\\"\\n"\n\n[b.c]\nd = [1, [2]]\n\n[[list]]\ne = true\n\n[[list]]\n')
  expect(TOML.parse(formatToml(table))).toEqual(table)
})

const name = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,5}$/)
const scalar = fc.oneof(
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.string({ unit: fc.constantFrom('a', 'é', '"', '\\', '\n', '\t', '#', '=') }),
)
const { table } = fc.letrec<{ table: TomlTable }>((tie) => ({
  table: fc.dictionary(
    name,
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, fc.array(scalar), tie('table')),
    { maxKeys: 4, noNullPrototype: true },
  ),
}))

/** A parser does not see an empty table that has no header. */
const hasNoEmptyTable = (value: TomlTable): boolean =>
  Object.values(value).every(
    (each) =>
      typeof each !== 'object' ||
      Array.isArray(each) ||
      (Object.keys(each).length > 0 && hasNoEmptyTable(each as TomlTable)),
  )

test('behavior: what it formats, a parser reads', () => {
  fc.assert(
    fc.property(table.filter(hasNoEmptyTable), (value) => {
      expect(TOML.parse(formatToml(value))).toEqual(value)
    }),
  )
})
