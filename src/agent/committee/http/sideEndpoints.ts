import { Value } from '@sinclair/typebox/value'
import { isRequestFault, type Side } from '@wattfeed/dataset/compare'
import type { Download } from './committeeRequests.ts'
import { DigestsRequest, LeavesRequest } from './messages.ts'
import { RequestError } from './requestError.ts'

/** Opens the snapshot of a root, of a dataset in the member's feeds file; null if it does not have it. */
export type OpenSide = (feedId: string, root: string) => Promise<Side | null>

/** Returns the endpoints at which other members compare their snapshots with those of this one. */
export function sideEndpoints(openSide: OpenSide): { readonly digests: Download; readonly leaves: Download } {
  async function ask(
    { feed_id: feedId, root }: { readonly feed_id: string; readonly root: string },
    question: (side: Side) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const side = await openSide(feedId, root)
    if (side === null)
      throw new RequestError(
        404,
        'unknown_root',
        `this member does not have the snapshot ${root} of ${feedId}`,
      )
    try {
      return await question(side)
    } catch (error) {
      throw isRequestFault(error) ? new RequestError(400, 'body', error.message) : error
    }
  }
  return {
    digests: {
      schema: DigestsRequest,
      work(body) {
        const { level, runs, ...asked } = Value.Decode(DigestsRequest, body)
        return ask(asked, (side) =>
          side.digestsOf(
            level,
            runs.map(([first, past]) => ({ first, past })),
          ),
        )
      },
    },
    leaves: {
      schema: LeavesRequest,
      work(body) {
        const { indices, ...asked } = Value.Decode(LeavesRequest, body)
        return ask(asked, (side) => side.leavesOf(indices))
      },
    },
  }
}
