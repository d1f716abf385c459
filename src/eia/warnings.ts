import { member, textMember } from './parseJson.ts'

/** A warning beside an answer. */
export interface EiaWarning {
  readonly warning: string
  readonly description: string
}

/** The warnings of an answer, which EIA puts at its top or into `response`. */
export function parseWarnings(body: unknown): EiaWarning[] {
  const lists = [member(body, 'warnings'), member(member(body, 'response'), 'warnings')]
  return lists
    .flatMap((list: unknown): unknown[] => (Array.isArray(list) ? list : []))
    .map((item) => ({
      warning: textMember(item, 'warning') ?? '',
      description: textMember(item, 'description') ?? '',
    }))
}
