import { Grid } from "../crosstab/Grid";
import { strings } from "../ui/strings";
import { kind } from "./kind";

export default kind(Grid, strings.widgets.grid);
