import { expect, test } from 'bun:test'
import { csvwOf } from '../../src/tables/csvw.ts'

test('default: url, Dublin Core terms, dialect, and each column with its datatype', () => {
  const metadata = csvwOf({
    columns: [
      { name: 'period', type: 'integer', description: 'a period' },
      { name: 'value', type: 'number', description: 'a value' },
      { name: 'amount', type: 'digits', description: 'an amount' },
      { name: 'source_hash', type: 'hash', description: 'a hash' },
      { name: 'at', type: 'time', description: 'a time' },
      { name: 'day', type: 'date', description: 'a day' },
      { name: 'attester', type: 'text', description: 'a text' },
    ],
    url: 'a.csv',
    about: { title: 'A', source: 'EIA' },
    details: { value: { 'schema:unitText': '$/bbl' }, attester: { datatype: 'anyURI' } },
  })
  const column = (name: string, datatype: unknown, more = {}) => ({
    name,
    titles: name,
    'dc:description': expect.any(String),
    datatype,
    ...more,
  })
  expect(metadata).toEqual({
    '@context': ['http://www.w3.org/ns/csvw', { '@language': 'en' }],
    url: 'a.csv',
    'dc:title': 'A',
    'dc:source': 'EIA',
    dialect: { header: true, encoding: 'utf-8', lineTerminators: ['\r\n'] },
    tableSchema: {
      columns: [
        column('period', 'integer'),
        column('value', 'double', { 'schema:unitText': '$/bbl' }),
        column('amount', 'integer'),
        column('source_hash', { base: 'string', minLength: 32, maxLength: 64 }),
        column('at', 'dateTime'),
        column('day', 'date'),
        column('attester', 'anyURI'),
      ],
    },
  })
})
