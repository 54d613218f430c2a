// What of ECharts the page draws with, and nothing else of it: lines on a canvas. Loaded when the first chart is drawn.
import { LineChart } from "echarts/charts";
import { DataZoomInsideComponent, GridComponent, ToolboxComponent, TooltipComponent } from "echarts/components";
import { connect, init, use as drawWith } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";

drawWith([
  LineChart,
  GridComponent,
  TooltipComponent,
  DataZoomInsideComponent,
  ToolboxComponent,
  LabelLayout,
  CanvasRenderer,
]);

export { connect, init };
export type { EChartsType } from "echarts/core";
