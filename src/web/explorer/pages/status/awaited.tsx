import type { ComponentChildren } from 'preact'
import type { Resource } from '../../data/resource.ts'
import { Part } from '../../ui/part.tsx'
import { Fault, Stale } from '../../ui/states.tsx'

export interface AwaitedProps<T> {
  title: string
  resource: Resource<T>
  children: (answer: T) => ComponentChildren
}

/** A part of the page that shows a resource, or why it did not load. */
export function Awaited<T>({ title, resource, children }: AwaitedProps<T>) {
  const { answer, fault, heardAt } = resource.state.value
  return (
    <section class="part">
      <h2>{title}</h2>
      {answer !== null && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {answer === null && fault !== null && <Fault fault={fault} retry={resource.reload} />}
      {answer !== null && (
        <Part name={title}>
          <Answered answer={answer}>{children}</Answered>
        </Part>
      )}
    </section>
  )
}

/** Calls `children` inside the error boundary. */
const Answered = <T,>({ answer, children }: { answer: T } & Pick<AwaitedProps<T>, 'children'>) => (
  <>{children(answer)}</>
)
