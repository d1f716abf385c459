import { hashSource } from '../../../packages/wattfeed/src/provenance/sourceHash.ts'

/** A source with a value. */
export const sourceOf = (value: string) => ({
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  facets: { series: 'RWTC' },
  period: '2026-11-16',
  value,
  unit: '$/BBL',
})

/** The archive's part of an attestation of a value. */
export const attestedOf = (value: string) => ({
  source_hash: hashSource(sourceOf(value)),
  source: sourceOf(value),
})

export const silent = { info: () => {}, warn: () => {} }
