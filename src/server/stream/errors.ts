import { defineError } from '../../defineError.ts'

export const StreamsFullError = defineError(
  'StreamsFullError',
  'streams_full',
  (facts: { maxStreams: number }) =>
    `stream limit of ${facts.maxStreams} reached; retry later, or connect to another server`,
  { retryable: true },
)

export const StreamsStoppedError = defineError(
  'StreamsStoppedError',
  'streams_stopped',
  () => 'the server is shutting down; retry later, or connect to another server',
  { retryable: true },
)

export const StreamAheadError = defineError(
  'StreamAheadError',
  'stream_ahead',
  (facts: { position: string; reached: string }) =>
    `position ${facts.position} is ahead of this server, which is at ${facts.reached}; retry later, or omit the position if the chain was replaced`,
  { retryable: true },
)
