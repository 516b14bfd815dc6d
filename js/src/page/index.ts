/** What an exported notebook can do without a kernel and without a network. */
import { makeSortable } from "./sorting";

makeSortable(document);
