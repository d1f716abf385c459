import { WattfeedError } from '@wattfeed/base'

/** What a check has found, and what to do about it. */
export interface Finding {
  /** What was checked, in one or two words. */
  readonly check: string
  /** `warned`: the agent runs, but something is worth a look. `skipped`: a check that it needs has failed. */
  readonly state: 'passed' | 'warned' | 'failed' | 'skipped'
  readonly found: string
  /** What to do; null if there is nothing to do. */
  readonly cure: string | null
}

export const passed = (check: string, found: string): Finding => ({
  check,
  state: 'passed',
  found,
  cure: null,
})

export const skipped = (check: string, found: string): Finding => ({
  check,
  state: 'skipped',
  found,
  cure: null,
})

export const warned = (check: string, found: string, cure: string): Finding => ({
  check,
  state: 'warned',
  found,
  cure,
})

export const failed = (check: string, found: string, cure: string): Finding => ({
  check,
  state: 'failed',
  found,
  cure,
})

/** Returns an error as a finding: what to do follows the first semicolon of a message. */
export function failedBy(check: string, { message }: WattfeedError): Finding {
  const [found = message, ...cure] = message.split('; ')
  return { check, state: 'failed', found, cure: cure.length === 0 ? null : cure.join('; ') }
}

/** Reports the error of a check as its finding. @throws an unexpected error: it is a bug. */
export async function orFailed(
  check: string,
  work: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await work()].flat()
  } catch (error) {
    if (error instanceof WattfeedError) return [failedBy(check, error)]
    throw error
  }
}

export const hasFailed = (findings: readonly Finding[]): boolean =>
  findings.some(({ state }) => state === 'failed')
