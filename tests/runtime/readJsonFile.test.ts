import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { readJsonFile } from '../../src/runtime/readJsonFile.ts'
import { schemaFaults } from '../../src/runtime/settings/schemaFaults.ts'
import { SettingsError } from '../../src/runtime/settings/settings.ts'
import { textOf } from '../../src/runtime/settings/textTypes.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{4}$', error: '4 hex digits' })
const schema = Type.Object({
  name: Type.String(),
  hash: Type.Union([hash, Type.Null()]),
  kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  list: Type.Array(Type.Object({ count: Type.Integer({ minimum: 0 }), isOpen: Type.Boolean() })),
})
const right = { name: 'x', hash: null, kind: 'a', list: [{ count: 1, isOpen: true }] }

describe('readJsonFile', () => {
  const rules = {
    schema,
    kind: 'a test file',
    cure: 'write another one',
    fail: (rule: string) => new SettingsError({ faults: [`FILE ${rule}`] }),
  }

  test('default: the content of the file', async () => {
    using folder = createFolder()
    expect(await readJsonFile(folder.write('a.json', JSON.stringify(right)), rules)).toEqual(right as never)
  })

  test('default: null if it does not exist', async () => {
    using folder = createFolder()
    expect(await readJsonFile(`${folder.path}/none.json`, rules)).toBeNull()
  })

  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'it must be an object'],
    ['{"hash": null, "kind": "a", "list": []}', 'name is missing: it must be a text'],
  ])('error: %s names the first fault and the cure', async (text, fault) => {
    using folder = createFolder()
    const error = await errorOf(readJsonFile(folder.write('a.json', text), rules))
    expect(error.message).toBe(`FILE is not a test file: ${fault}; write another one`)
  })

  test('error: a value that its schema cannot decode', async () => {
    using folder = createFolder()
    const even = textOf('an even number', (text) => (Number(text) % 2 === 0 ? Number(text) : undefined))
    const decoding = { ...rules, schema: Type.Object({ size: even }) }
    const read = (text: string) => readJsonFile(folder.write('a.json', text), decoding)
    expect(await read('{"size":"4"}')).toEqual({ size: 4 })
    expect((await errorOf(read('{"size":"5"}'))).message).toBe(
      'FILE is not a test file: size is "5": it must be an even number; write another one',
    )
  })

  test('error: a file that cannot be read', async () => {
    using folder = createFolder()
    expect((await errorOf(readJsonFile(folder.path, rules))).message).toBe(
      'FILE cannot be read (EISDIR); let this user read it',
    )
  })
})

describe('schemaFaults', () => {
  test.each<[object, string[]]>([
    [{}, []],
    [{ hash: 'xyz' }, ['hash is "xyz": it must be 4 hex digits or null']],
    [{ kind: 'c' }, ['kind is "c": it must be one of a, b']],
    [{ list: {} }, ['list is an object: it must be a list']],
    [{ name: [1] }, ['name is a list: it must be a text']],
    [
      { list: [{ count: -1, isOpen: 1 }] },
      [
        'list.0.count is -1: it must be a whole number of at least 0',
        'list.0.isOpen is 1: it must be true or false',
      ],
    ],
    [{ name: null, kind: 7 }, ['name is null: it must be a text', 'kind is 7: it must be one of a, b']],
  ])('default: %j', (change, faults) => {
    expect(schemaFaults(schema, { ...right, ...change })).toEqual(faults)
  })

  test('behavior: of a union, the fault is that of the variant that fits best', () => {
    const union = Type.Object({ found: Type.Union([Type.Null(), Type.Object({ 'a/b': hash })]) })
    expect(schemaFaults(union, { found: { 'a/b': 'no' } })).toEqual([
      'found.a/b is "no": it must be 4 hex digits',
    ])
  })

  test('behavior: a property that the schema does not know', () => {
    const strict = Type.Object({ a: Type.Optional(hash) }, { additionalProperties: false })
    expect(schemaFaults(strict, { b: 1 })).toEqual(['b is not a known field; remove it'])
  })

  test('behavior: a long value is cut off', () => {
    const [fault = ''] = schemaFaults(schema, { ...right, kind: 'x'.repeat(1_000) })
    expect(fault.length).toBeLessThan(200)
  })
})
