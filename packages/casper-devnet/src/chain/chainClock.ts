/** A chain's clock: the one that it was given, moved by an offset. */
export class ChainClock {
  constructor(
    /** In epoch milliseconds. */
    private readonly given: () => number,
    /** How far this clock is ahead of the given one. */
    public offsetMs = 0,
  ) {}

  /** Returns the time in epoch milliseconds. */
  readonly now = (): number => this.given() + this.offsetMs

  /** Moves the clock, which continues from there. */
  set(timeMs: number): void {
    this.offsetMs = timeMs - this.given()
  }
}
