import { PLACES } from './datasetLeaves.ts'

/** What EIA has served to one member, and when last. */
export class Servings {
  /** By code: for each place, when EIA last served that it has this code there; 0 if it never did. */
  readonly #last = new Map<number, Float64Array>()

  /** The code that was noted last, and its times: most codes come many times in a row. */
  #code = -1
  #times: Float64Array = new Float64Array()

  note(place: number, code: number, now: number): void {
    if (code !== this.#code) {
      this.#times = this.#last.get(code) ?? new Float64Array(PLACES)
      this.#last.set(code, this.#times)
      this.#code = code
    }
    this.#times[place] = now
  }

  /** Returns when EIA last served that it has this code at a place; null if it never did. */
  last(place: number, code: number): number | null {
    return this.#last.get(code)?.[place] || null
  }
}
