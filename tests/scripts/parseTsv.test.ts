// cspell:ignore tuno
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseTsv } from '../../scripts/catalog/parseTsv.ts'

function parse(text: string) {
  const faults: [line: number, rule: string, message: string][] = []
  const rows = parseTsv({ text, columns: ['id', 'name'], report: (...fault) => faults.push(fault) })
  return { rows, faults }
}

describe('parseTsv', () => {
  test('default', () => {
    expect(parse('id\tname\n1\tone\n2\t"two"\n3\t\n')).toEqual({
      rows: [
        { line: 2, fields: { id: '1', name: 'one' } },
        { line: 3, fields: { id: '2', name: '"two"' } },
        { line: 4, fields: { id: '3', name: '' } },
      ],
      faults: [],
    })
  })

  test('behavior: a heading alone is an empty table', () => {
    expect(parse('id\tname\n')).toEqual({ rows: [], faults: [] })
  })

  test('behavior: what was written is read back', () => {
    const word = fc.stringMatching(/^[!-~]{1,8}( [!-~]{1,8}){0,3}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word)), (table) => {
        const text = ['id\tname', ...table.map((fields) => fields.join('\t')), ''].join('\n')
        const rows = table.map(([id, name], index) => ({ line: index + 2, fields: { id, name } }))
        expect(parse(text)).toEqual({ rows, faults: [] })
      }),
    )
  })

  test('behavior: any text gives rows of every column and faults on lines that exist', () => {
    const noise = fc.string({ unit: fc.constantFrom('\t', '\n', '\r', ' ', 'a', 'é') })
    fc.assert(
      fc.property(fc.constantFrom('', 'id\tname\n'), noise, (heading, body) => {
        const { rows, faults } = parse(heading + body)
        const last = (heading + body).split('\n').length
        expect(rows.every(({ fields }) => Object.keys(fields).join() === 'id,name')).toBe(true)
        expect(
          [...rows.map(({ line }) => line), ...faults.map(([line]) => line)].every((line) => line <= last),
        ).toBe(true)
      }),
    )
  })

  test('error: a carriage return', () => {
    expect(parse('id\tname\n1\tone\r\n2\ttwo\r\n')).toEqual({
      rows: [],
      faults: [[2, 'line-end', 'holds a carriage return; save the file with LF line ends']],
    })
  })

  test('error: no line feed at the end', () => {
    expect(parse('id\tname\n1\tone').faults).toEqual([
      [2, 'line-end', 'does not end with a line feed; add one'],
    ])
  })

  test.each([
    ['missing', ''],
    ['of other columns', 'name\tid\n1\tone\n'],
    ['behind a byte order mark', '\ufeffid\tname\n1\tone\n'],
  ])('error: a heading that is %s', (_, text) => {
    const { rows, faults } = parse(text)
    expect(rows).toEqual([])
    expect(faults).toContainEqual([
      1,
      'heading',
      'has to be "id\\tname"; mend it (UTF-8, no byte order mark)',
    ])
  })

  test.each([
    ['a blank line', '', 1],
    ['a field too few', '1', 1],
    ['a field too many', '1\tone\tuno', 3],
  ])('error: %s', (_, line, count) => {
    expect(parse(`id\tname\n${line}\n2\ttwo\n`)).toEqual({
      rows: [{ line: 3, fields: { id: '2', name: 'two' } }],
      faults: [[2, 'fields', `has ${count} fields, not 2; put one tab between fields`]],
    })
  })

  test.each([' one', 'one ', 'one  two', 'one\u00a0two', 'one\u2028two', 'one\vtwo', ' '])(
    'error: stray white space in %j',
    (name) => {
      expect(parse(`id\tname\n1\t${name}\n`).faults).toEqual([
        [2, 'white-space', 'name holds stray white space; keep single spaces between words only'],
      ])
    },
  )

  test.each(['São', 'one\u200btwo', 'one\u0000', '\u007f'])('error: %j is not plain ASCII', (name) => {
    expect(parse(`id\tname\n1\t${name}\n`).faults).toEqual([
      [2, 'ascii', 'name is not plain ASCII; replace the character, or teach search to fold it'],
    ])
  })
})
