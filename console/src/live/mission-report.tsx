import { Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ask, GatewayRefusal } from "../city/gateway.ts";
import { Asked, Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";

/** Questions for a report that is about to be written: after 0.3, 0.6, 1.2 … seconds. */
const REPORT_TRIES = 5;

/** What came out, as the mission's own report says; agents' words are in it. */
export function Report({ mission, root }: { readonly mission: string; readonly root: string | undefined }) {
  // It is written once, just after the records' root is anchored; a report still missing then will never appear.
  const report = useQuery({
    queryKey: ["once", "report", mission, root],
    queryFn: ({ signal }) => ask<{ readonly markdown: string }>(`/v1/missions/${mission}/report`, {}, signal),
    retry: (count, error) => error instanceof GatewayRefusal && error.status === 404 && root !== undefined && count < REPORT_TRIES,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-labelledby="report">
      <Title order={2} id="report">
        The report
      </Title>
      {report.error !== null && report.data === undefined ? (
        <Empty>This city does not keep the bundle of this mission, so its report is not here.</Empty>
      ) : (
        <Asked of={report}>
          {({ markdown }) => (
            <div className="excerpt" data-report>
              <Quoted text={markdown} short={1_500} />
            </div>
          )}
        </Asked>
      )}
    </section>
  );
}
