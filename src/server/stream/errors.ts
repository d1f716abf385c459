import { defineError } from '../../defineError.ts'

/** The server has reached its stream limit. */
export const StreamsFullError = defineError(
  'StreamsFullError',
  'streams_full',
  (facts: { maxStreams: number }) =>
    `stream limit of ${facts.maxStreams} reached; retry later, or connect to another server`,
  { retryable: true },
)

/** The server is shutting down. */
export const StreamsStoppedError = defineError(
  'StreamsStoppedError',
  'streams_stopped',
  () => 'the server is shutting down; retry later, or connect to another server',
  { retryable: true },
)

/** A client asked to resume from a position that this server has not reached. */
export const StreamAheadError = defineError(
  'StreamAheadError',
  'stream_ahead',
  (facts: {
    /** The requested position. */
    position: string
    /** The position of the server. */
    reached: string
  }) =>
    `position ${facts.position} is ahead of this server, which is at ${facts.reached}; retry later, or omit the position if the chain was replaced`,
  { retryable: true },
)
