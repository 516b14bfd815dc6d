import { Editor } from "../editor/Editor";
import { strings } from "../ui/strings";
import { kind } from "./kind";

export default kind(Editor, strings.widgets.editor);
