import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDatasetQuery } from '../../src/server/datasetQuery.ts'

for (const [query, family, q] of [
  ['', '', ''],
  ['family=petroleum/&q=crude+oil', 'petroleum/', 'crude oil'],
  ['q=a&q=b', '', 'b'],
  ['q=a&q=', '', ''],
  ['q=a&q', '', ''],
  ['q=100%', '', '100%'],
  ['q=%zz+x', '', '%zz+x'],
  ['q=%ff', '', '%ff'],
  ['q=%2B+%C3%A9', '', '+ é'],
  ['q=a=b', '', 'a=b'],
  ['%71=x&fam%69ly=y', 'y', 'x'],
  ['Q=a&other=b&q[]=c&toString=d&__proto__=e', '', ''],
  ['&&q=a&&', '', 'a'],
] as const)
  test(`default: ${query || 'nothing'}`, () => expect(parseDatasetQuery(query)).toEqual({ family, q }))

test('behavior: any text is a query', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (query) => {
      expect(Object.keys(parseDatasetQuery(query))).toEqual(['family', 'q'])
    }),
  )
})
