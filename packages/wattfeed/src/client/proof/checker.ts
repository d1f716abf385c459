import { DecodeError, WattfeedError } from '@wattfeed/base'
import type { CheckedLink } from './feedProofCheck.ts'

/** Checks links one after another, and stops at the first that fails. */
export interface Checker {
  readonly links: readonly CheckedLink[]
  /**
   * Runs a check and returns its result.
   *
   * @throws {@link BrokenLink} when the check throws a `WattfeedError`.
   */
  check<T>(link: string, work: () => T | Promise<T>, detail?: (value: T) => string): Promise<T>
}

/** Stops the checks. The last link holds the reason. */
export class BrokenLink extends Error {}

export function createChecker(): Checker {
  const links: CheckedLink[] = []
  return {
    links,
    async check(link, work, detail = () => '') {
      try {
        const value = await work()
        links.push({ link, holds: true, detail: detail(value) })
        return value
      } catch (error) {
        if (!(error instanceof WattfeedError)) throw error
        links.push({ link, holds: false, detail: ruleOf(error) })
        throw new BrokenLink()
      }
    },
  }
}

const ruleOf = (error: WattfeedError): string => ('rule' in error ? String(error.rule) : error.message)

/** @throws {@link DecodeError} with the rule when the link does not hold. */
export function assertLink(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new DecodeError('feed proof', rule)
}
