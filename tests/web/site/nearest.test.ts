import { describe, expect, test } from 'bun:test'
import { nearestIds, nearestPage } from '../../../src/web/site/nearest.ts'

describe('the nearest page', () => {
  test.each([
    ['/explorer/stats', 'Status'],
    ['/explorer/STATUS', 'Status'],
    ['/stats/', 'Status'],
    ['/explorer/calendars', 'Calendar'],
    ['/explorer/dataset/petroleum/pri', 'Datasets'],
    ['/explorer/feed/EIA.PET.PRICE.WTI.DAILY', 'Feeds'],
    ['/explorer/feeds/a/b', 'Feeds'],
    ['/doc', 'Docs'],
    ['/openapi/jsn', 'API'],
    ['/explorer/zebra', undefined],
    ['/', undefined],
    [`/${'a'.repeat(100_000)}`, undefined],
  ])('default: of %s is %s', (path, name) => {
    expect(nearestPage(path)?.[1]).toBe(name as never)
  })
})

describe('the nearest ids', () => {
  const ids = [
    'EIA.PET.PRICE.WTI.DAILY',
    'EIA.PET.PRICE.BRENT.DAILY',
    'EIA.PET.PRICE.DIESEL.WEEKLY',
    'EIA.NG.X',
  ]

  test.each([
    ['EIA.PET.PRICE.WIT.DAILY', ids[0]],
    ['eia.pet.price.brent.daily', ids[1]],
    ['PET.PRICE.BRENT.DAILY', ids[1]],
    ['diesel', ids[2]],
    ['EIA.PET.PRICE.DIESEL.DAILY', ids[2]],
    ['EIA.NG.Y', ids[3]],
  ])('default: the first one of %s is %s', (id, nearest) => {
    expect(nearestIds(id, ids)[0]).toBe(nearest)
  })

  test('behavior: at most three, and none that is unlike', () => {
    expect(nearestIds('EIA.PET.PRICE', ids)).toEqual(ids.slice(0, 3))
    expect(nearestIds('zzzzzzzzzz', ids)).toEqual([])
    expect(nearestIds('X', ids)).toEqual([])
    expect(nearestIds('EIA', [])).toEqual([])
  })

  test('behavior: a typing error is found among thousands of ids that start alike', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `EIA.MANY.${index}.DAILY`)
    expect(nearestIds('EIA.MANY.1234.DAY', [...many, 'EIA.PET'])[0]).toBe('EIA.MANY.1234.DAILY')
  })

  test('behavior: very long ids are compared by their start', () => {
    const long = 'x'.repeat(100_000)
    expect(nearestIds(long, [`${long}y`, 'EIA'])).toEqual([`${long}y`])
  })
})
