import type { AnswerError } from '../../data/answers.ts'
import { Fault } from '../../ui/states.tsx'
import { Text } from '../../ui/text.tsx'

const titles: Readonly<Record<string, string>> = {
  query: 'The server does not accept this series.',
  datasets_unset: 'This server has no datasets.',
  dataset_not_found: 'The chain has no root of this dataset now.',
  root_not_found: 'The dataset had no root then.',
  not_covered: 'The root does not cover this series.',
  snapshot_gone: 'The server does not have the files of that root.',
  snapshot_missing: 'The server does not have the files of the newest root yet.',
  snapshot_fault: 'The server’s files of this dataset are wrong.',
}

/** Says why the server does not answer about a series. */
export function SeriesFault({ fault, retry }: { fault: AnswerError; retry: () => void }) {
  const title = titles[fault.serverCode ?? '']
  if (title === undefined) return <Fault fault={fault} retry={retry} />
  return (
    <div class="notice is-fault" role="alert">
      <p class="notice-title">{title}</p>
      <p>
        <Text text={fault.reason} />
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
