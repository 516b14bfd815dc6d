/** What an exported notebook can do without a kernel and without a network. */
import { makeDownloadable } from "./downloading";
import { clearCorners, makeReachable } from "./reaching";
import { makeSortable } from "./sorting";

makeSortable(document);
clearCorners(document);
makeDownloadable(document);
makeReachable(document);
addEventListener("resize", () => makeReachable(document));
