/** The script of an exported notebook, which works without kernel and network. */
import { makeDownloadable } from "./downloading";
import { clearCorners, makeReachable } from "./reaching";
import { makeSortable } from "./sorting";

makeSortable(document);
clearCorners(document);
makeDownloadable(document);
makeReachable(document);
addEventListener("resize", () => makeReachable(document));
