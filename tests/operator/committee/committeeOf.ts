import type { Committee } from '../../../src/committee/committee.ts'

/** Creates a committee with equal thresholds, of keys named by a letter each, or by their weights. */
export function committeeOf(
  threshold: number,
  keys: string | Readonly<Record<string, number>>,
  recovery = '',
): Committee {
  const weights = typeof keys === 'string' ? [...keys].map((key) => [key, 1] as const) : Object.entries(keys)
  return {
    weights: new Map(weights),
    recovery: new Set(recovery),
    deployment: threshold,
    keyManagement: threshold,
  }
}
