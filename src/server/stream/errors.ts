import { WattfeedError } from '../../errors.ts'

/** The server has reached its stream limit. */
export class StreamsFullError extends WattfeedError {
  static override readonly name = 'StreamsFullError'
  readonly code = 'streams_full'
  readonly retryable = true

  constructor(readonly maxStreams: number) {
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

/** A client asked to resume from a position that this server has not reached. */
export class StreamAheadError extends WattfeedError {
  static override readonly name = 'StreamAheadError'
  readonly code = 'stream_ahead'
  readonly retryable = true

  constructor(
    /** The requested position. */
    readonly position: string,
    /** The position of the server. */
    readonly reached: string,
  ) {
    super(
      `position ${position} is ahead of this server, which is at ${reached}; retry later, or omit the position if the chain was replaced`,
    )
  }
}
