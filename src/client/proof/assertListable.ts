import { InvalidArgumentError } from '../argument.ts'

/** The proof of an item takes 20 to 120 kB of JSON. */
const MAX_ITEMS = 1_000

/** @throws {@link InvalidArgumentError} when a list has too many items for a proof. */
export function assertListable(count: number, name: string, max = MAX_ITEMS): void {
  if (count > max)
    throw new InvalidArgumentError(name, `at most ${max} for a proof of the complete list, not ${count}`)
}
