import { defineError } from '@wattfeed/base'

/** A value does not fit the type of its argument. Nothing was sent. */
export const ArgumentError = defineError(
  'ArgumentError',
  'argument',
  (facts: { rule: string }) => `the argument must be ${facts.rule}`,
)
