import { defineError } from '@wattfeed/base'

interface NewFeedFacts {
  /** `unknown`: not one of the choices. `invalid`: a text that its field cannot have. */
  reason: 'missing' | 'unknown' | 'invalid' | 'wrong_feed' | 'feeds_file'
  message: string
}

export const NewFeedError = defineError('NewFeedError', 'new_feed', (facts: NewFeedFacts) => facts.message)
