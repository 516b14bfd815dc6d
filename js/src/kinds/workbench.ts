import { strings } from "../ui/strings";
import { Workbench } from "../workbench/Workbench";
import { kind } from "./kind";

export default kind(Workbench, strings.widgets.workbench);
