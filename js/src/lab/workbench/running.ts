/** Runs the code that opens a survey in the kernel of a tab, with reports of its progress. */
import type { CommKernel } from "../jupyter";
import { words } from "./strings";

/** Of `audiencelab.jupyter.progress`. */
const PROGRESS = "application/vnd.audiencelab.progress+json";

/** The model of the widget that the code makes. */
export const MODEL = "workbench.model_id";

/** step: "" while the first table is counted. share: of the rows, from 0 to 1. */
export interface Report {
  step: string;
  rows: number;
  share: number;
}

/** The code raised an error. */
export class CodeError extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }

  get isStopped(): boolean {
    return this.kind === "KeyboardInterrupt";
  }
}

/** Runs code, and returns the id of the model that it makes. Raises `CodeError`. */
export async function run(
  kernel: CommKernel,
  code: string,
  onReport: (report: Report) => void,
): Promise<string> {
  const user_expressions = { model: MODEL };
  const request = kernel.requestExecute({ code, store_history: false, user_expressions });
  request.onIOPub = ({ content }) => {
    const report = (content as { data?: Record<string, unknown> }).data?.[PROGRESS];
    if (report) onReport(report as Report);
  };
  const { content } = await request.done;
  const { evalue = "", ename = "", user_expressions: values } = content;
  const id = /^'(\w+)'$/.exec(String(values?.model?.data?.["text/plain"]))?.[1];
  if (id !== undefined) return id;
  if (!ename) throw new Error(words.notOpened);
  // Errors of ours are sentences; of others, such as KeyError, the type is part of the message.
  const isSentence = /^(Source|Survey|Snapshot)/.test(ename) && evalue;
  throw new CodeError(ename, isSentence ? evalue : `${ename}: ${evalue}`);
}
