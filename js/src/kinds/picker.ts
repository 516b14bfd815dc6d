import { Picker } from "../picker/Picker";
import { strings } from "../ui/strings";
import { kind } from "./kind";

export default kind(Picker, strings.widgets.picker);
