/** Limits of an {@link EventLog}. */
export interface EventLogLimits {
  maxEvents: number
  /** Maximum length of all texts. The newest event is kept even if it is longer. */
  maxLength: number
}

/** The newest events of a stream as text, with ascending numbers. The oldest make room for new ones. */
export class EventLog {
  readonly #texts = new Map<number, string>()
  readonly #limits: EventLogLimits
  #length = 0
  #nextId = 0

  constructor(limits: EventLogLimits) {
    this.#limits = limits
  }

  /** The number of the next event. */
  get nextId(): number {
    return this.#nextId
  }

  /** The number of the oldest event; {@link nextId} if there is none. */
  get firstId(): number {
    return this.#nextId - this.#texts.size
  }

  /** Returns null for an event that is not kept. */
  get(id: number): string | null {
    return this.#texts.get(id) ?? null
  }

  add(text: string): void {
    this.#texts.set(this.#nextId, text)
    this.#nextId += 1
    this.#length += text.length
    const { maxEvents, maxLength } = this.#limits
    while (this.#texts.size > maxEvents || (this.#length > maxLength && this.#texts.size > 1))
      this.#dropOldest()
  }

  /** Drops all events. The numbers continue. */
  clear(): void {
    while (this.#texts.size > 0) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.firstId
    this.#length -= this.get(oldest)?.length ?? 0
    this.#texts.delete(oldest)
  }
}
