import { LinkedChart } from "../crosstab/export/LinkedChart";
import { strings } from "../ui/strings";
import { kind } from "./kind";

export default kind(LinkedChart, strings.widgets.chart);
