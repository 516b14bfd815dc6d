/**
 * The API of the Jupyter server extension: the connections, whether they are reachable, and
 * requests to their services. The browser gets no credential and never contacts the service itself.
 * Stateless functions.
 */
import { type Answer, RequestError } from "../core/answers";
import type { AnswerOf, ArgsOf } from "../core/requests";
import type { Failure, Refused, ServerExtension, SidebarWidget } from "../protocol";
import type { ServerSettings, ServicesPackage } from "./jupyter";
import { strings } from "./strings";

export type SidebarOperation = keyof SidebarWidget["operations"];

type Endpoint = keyof ServerExtension["operations"];
type Body<E extends Endpoint> = ServerExtension["operations"][E][0];
type AnswerTo<E extends Endpoint> = ServerExtension["operations"][E][1];

export type Server = ReturnType<typeof createServer>;

export function createServer(
  { ServerConnection }: ServicesPackage,
  settings: () => ServerSettings,
) {
  async function send<E extends Endpoint>(
    path: string,
    body?: Body<E>,
    signal?: AbortSignal,
  ): Promise<AnswerTo<E>> {
    const now = settings();
    const init: RequestInit = {
      method: body ? "POST" : "GET",
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(`${now.baseUrl}audiencelab/${path}`, init, now);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new RequestError("NetworkError", strings.serverGone(String(error)));
    }
    const answer = await read(response);
    if (response.ok && answer !== null) return answer as AnswerTo<E>;
    throw failure(response.status, answer);
  }

  /** Forwards a request of a widget's channel. */
  async function pass(name: string, op: string, args: object, signal?: AbortSignal) {
    const body = { op, args: args as Record<string, unknown> };
    const answer = await send<"ask">(`${at(name)}/ask`, body, signal);
    if (!answer.ok) throw errorOf(answer.error);
    return { data: answer.data, buffers: (answer.buffers ?? []).map(bytes) };
  }

  const at = (name: string) => `connections/${encodeURIComponent(name)}`;

  return {
    connections: () => send<"connections">("connections"),
    check: (name: string) => send<"check">(`${at(name)}/check`, {}),
    surveys: async () => (await send<"surveys">("surveys")).surveys,
    openSurvey: (path: string) => send<"open">("surveys/open", { path }),
    templates: async () => (await send<"templates">("templates")).templates,
    /** The path of a new notebook in a folder, on a connection. */
    create: async (template: string, folder: string, connection: string) => {
      const path = `templates/${encodeURIComponent(template)}/create`;
      return (await send<"create">(path, { folder, connection })).path;
    },
    /** An operation of the sidebar, sent to a connection. */
    ask: <O extends SidebarOperation>(
      name: string,
      op: O,
      args: ArgsOf<SidebarWidget, O>,
      signal?: AbortSignal,
    ) => pass(name, op, args, signal) as Promise<Answer<AnswerOf<SidebarWidget, O>>>,
    pass,
  };
}

async function read(response: Response): Promise<object | null> {
  try {
    const answer: unknown = await response.json();
    return typeof answer === "object" ? answer : null;
  } catch {
    return null;
  }
}

function failure(status: number, answer: object | null): RequestError {
  const refused = answer as Partial<Refused> | null;
  if (refused?.error) return errorOf(refused.error);
  // The rest of the message is Jupyter's own.
  if (status === 404) return new RequestError("ServerMissing", strings.serverMissing);
  if (status === 401 || status === 403) return new RequestError("NotLoggedIn", strings.notLoggedIn);
  return new RequestError("ServerError", strings.serverFailed(status));
}

function errorOf(failure?: Partial<Failure>): RequestError {
  const { type = "Error", message = "", faults = [] } = failure ?? {};
  return new RequestError(type, message, faults);
}

function bytes(base64: string): DataView {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) found[at] = text.charCodeAt(at);
  return new DataView(found.buffer);
}
