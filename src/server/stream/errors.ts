import { WattfeedError } from '../../errors.ts'

/** A server holds as many streams as it may. */
export class StreamsFullError extends WattfeedError {
  static override readonly name = 'StreamsFullError'
  readonly code = 'streams_full'
  readonly retryable = true

  constructor(
    /** How many streams that is. */
    readonly maxStreams: number,
  ) {
    super(`stream limit of ${maxStreams} reached; retry later, or connect to another server`)
  }
}

/** The server is shutting down. */
export class StreamsStoppedError extends WattfeedError {
  static override readonly name = 'StreamsStoppedError'
  readonly code = 'streams_stopped'
  readonly retryable = true

  constructor() {
    super('the server is shutting down; retry later, or connect to another server')
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
