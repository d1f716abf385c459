import { WattfeedError } from '../../errors.ts'

/** A server holds as many streams as it may, or is about to stop. */
export class StreamsFullError extends WattfeedError {
  static override readonly name = 'StreamsFullError'
  readonly code = 'streams_full'
  readonly retryable = true

  constructor() {
    super('this server takes no further stream now: try again later, or ask another one')
  }
}

/** A stream was asked to resume from a position that this server has not reached. */
export class StreamAheadError extends WattfeedError {
  static override readonly name = 'StreamAheadError'
  readonly code = 'stream_ahead'
  readonly retryable = true

  constructor(
    /** As it was asked for. */
    readonly position: string,
    /** Where the server is. */
    readonly reached: string,
  ) {
    super(
      `the position ${position} is ahead of this server, which is at ${reached}: try again later, or leave out the position if the chain was replaced`,
    )
  }
}
