/** The same as the picture, in figures. */

import { acrossTitle, chartLabel, othersLabel, pointLabel, title, valueLabel, valueTitle } from "./chartspec.ts";
import type { ChartPoint, ChartReply } from "./contract.ts";
import { valueOf } from "./plot.ts";
import { count } from "./text.ts";

export function PointTable({ chart }: { readonly chart: ChartReply }) {
  const isScatter = chart.kind === "scatter";
  return (
    <div class="points" tabIndex={0} role="region" aria-label={chartLabel(chart)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{acrossTitle(chart)}</th>
            {chart.y !== null && <th scope="col">{isScatter ? title(chart.y) : valueTitle(chart)}</th>}
            {!isScatter && <th scope="col">rows</th>}
          </tr>
        </thead>
        <tbody>
          {chart.points.map((point, index) => (
            <PointRow key={index} chart={chart} name={pointLabel(chart, point)} point={point} />
          ))}
          {chart.others && <PointRow chart={chart} name={othersLabel(chart.others)} point={chart.others} />}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly chart: ChartReply;
  readonly name: string;
  readonly point: Pick<ChartPoint, "y" | "count" | "mean">;
}

function PointRow({ chart, name, point }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      {chart.y !== null && <td>{valueLabel(chart, valueOf(chart, point))}</td>}
      {chart.kind !== "scatter" && <td>{count(point.count ?? 0)}</td>}
    </tr>
  );
}
