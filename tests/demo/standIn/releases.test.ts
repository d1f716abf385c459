import { describe, expect, test } from 'bun:test'
import { findReleases } from '../../../src/demo/standIn/releases.ts'

const NOW = Date.parse('2027-07-06T12:00Z')

const anySeries = (frequency: string, route = 'any') => ({ route, frequency, facets: {} })

describe('findReleases', () => {
  test.each([
    ['hourly', '2026-01-01T00', '2027-07-05T12', ['2027-07-05T11', '2027-07-05T10']],
    ['local-hourly', '2026-01-01T00-07', '2027-07-05T05-07', ['2027-07-05T04-07', '2027-07-05T03-07']],
    ['daily', '2026-01-01', '2027-07-04', ['2027-07-03', '2027-07-02']],
    ['weekly', '2026-01-02', '2027-06-25', ['2027-06-18', '2027-06-11']],
    ['four-week-average', '2026-01-05', '2027-06-28', ['2027-06-21', '2027-06-14']],
    ['monthly', '2026-01', '2027-04', ['2027-03', '2027-02']],
    ['quarterly', '2026-Q1', '2027-Q1', ['2026-Q4', '2026-Q3']],
    ['annual', '2020', '2025', ['2024', '2023']],
  ])('default: the newest %s period and those before it', (frequency, known, newest, before) => {
    const releases = findReleases(anySeries(frequency), known)
    expect(releases.newestAt(NOW)).toBe(newest)
    expect(releases.listBefore(newest, 2)).toEqual(before)
    expect(releases.releaseOf(newest)).toBeLessThanOrEqual(NOW)
  })

  test('behavior: markets have no prices on weekends and holidays', () => {
    const releases = findReleases(anySeries('daily', 'petroleum/pri/spt'), '2026-11-20')
    // Independence Day of 2027 is on a Sunday, so that Monday is a holiday.
    expect(releases.newestAt(Date.parse('2027-07-07T12:00Z'))).toBe('2027-07-02')
    expect(releases.listBefore('2027-07-06', 6)).toEqual(['2027-07-02', '2027-07-01', '2027-06-30'])
  })

  test('behavior: the outlooks of a year end with December of the next, first published in January', () => {
    const releases = findReleases(anySeries('monthly', 'steo'), '2026-10')
    expect(releases.newestAt(Date.parse('2027-01-12T16:59Z'))).toBe('2027-12')
    expect(releases.newestAt(Date.parse('2027-01-12T17:00Z'))).toBe('2028-12')
    expect(releases.releaseOf('2028-03')).toBe(Date.parse('2027-01-12T17:00Z'))
  })

  test('error: an unknown frequency', () => {
    expect(() => findReleases(anySeries('biweekly'), '2026-01-01')).toThrow('biweekly')
  })
})
