/** What an exported notebook can do without a kernel and without a network. */
import { clearCorners, makeReachable } from "./reaching";
import { makeSortable } from "./sorting";

makeSortable(document);
clearCorners(document);
makeReachable(document);
addEventListener("resize", () => makeReachable(document));
