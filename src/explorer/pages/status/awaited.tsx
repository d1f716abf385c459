import type { ComponentChildren } from 'preact'
import type { Polled } from '../../data/usePolled.ts'
import { Part } from '../../ui/part.tsx'
import { Fault, Stale } from '../../ui/states.tsx'

export interface AwaitedProps<T> {
  title: string
  polled: Polled<T>
  children: (answer: T) => ComponentChildren
}

/** A part of the page with what is asked for, or why it is not there. */
export function Awaited<T>({ title, polled, children }: AwaitedProps<T>) {
  const { answer, fault, heardAt, reload } = polled
  return (
    <section class="part">
      <h2>{title}</h2>
      {answer !== null && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {answer === null && fault !== null && <Fault fault={fault} retry={reload} />}
      {answer !== null && (
        <Part name={title}>
          <Answered answer={answer}>{children}</Answered>
        </Part>
      )}
    </section>
  )
}

/** Calls `children` where the part that is around it notices a failure. */
const Answered = <T,>({ answer, children }: { answer: T } & Pick<AwaitedProps<T>, 'children'>) => (
  <>{children(answer)}</>
)
