/**
 * The API of the Jupyter server extension: the connections, whether they are reachable, and
 * requests to their services. The browser gets no credential and never contacts the service itself.
 * Stateless functions.
 */
import { type Answer, type Fault, RequestError } from "../core/answers";
import type { AnswerOf, ArgsOf } from "../core/requests";
import type { SidebarWidget } from "../protocol";
import type { ServerSettings, ServicesPackage } from "./jupyter";
import { strings } from "./strings";

export interface Credential {
  needed: boolean;
  found: boolean;
  /** Its address, or where it is searched for, as text; never the credential. */
  place: string | null;
}

/** A survey that can be queried. */
export interface Connection {
  name: string;
  kind: "demo" | "survey" | "deployment" | "snapshot";
  title: string;
  /** Its address or folder. */
  place: string;
  /** Python that connects a notebook to the same survey. */
  code: string;
  credential: Credential;
  source: string;
}

export interface Connections {
  connections: Connection[];
  /** The name of the default connection. */
  default: string;
  /** Errors in the configuration, and their remedies. */
  problems: string[];
}

export interface Check {
  status: "ready" | "no credential" | "refused" | "unreachable" | "broken";
  /** The problem and its remedy. */
  message: string;
  namespaces?: number;
  questions?: number;
  waves?: number;
  milliseconds?: number;
}

/** A survey on the disk of the server. */
export interface FoundSurvey {
  /** Relative to the server's root. */
  path: string;
  title: string;
  respondents: number;
  waves: number;
}

export interface Template {
  name: string;
  title: string;
  description: string;
  /** The name of its icon; empty for none. */
  icon: string;
}

export type SidebarOperation = keyof SidebarWidget["operations"];

interface Failure {
  error?: { type?: string; message?: string; faults?: Fault[] };
}

interface Reply extends Failure {
  ok: boolean;
  data?: unknown;
  buffers?: string[];
}

export type Server = ReturnType<typeof createServer>;

export function createServer(
  { ServerConnection }: ServicesPackage,
  settings: () => ServerSettings,
) {
  async function send<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
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
    if (response.ok && answer !== null) return answer as T;
    throw failure(response.status, answer);
  }

  /** Forwards a request of a widget's channel. */
  async function pass(name: string, op: string, args: object, signal?: AbortSignal) {
    const answer = await send<Reply>(`${at(name)}/ask`, { op, args }, signal);
    if (!answer.ok) throw errorOf(answer);
    return { data: answer.data, buffers: (answer.buffers ?? []).map(bytes) };
  }

  const at = (name: string) => `connections/${encodeURIComponent(name)}`;

  return {
    connections: () => send<Connections>("connections"),
    check: (name: string) => send<Check>(`${at(name)}/check`, {}),
    surveys: async () => (await send<{ surveys: FoundSurvey[] }>("surveys")).surveys,
    openSurvey: (path: string) => send<Connection>("surveys/open", { path }),
    templates: async () => (await send<{ templates: Template[] }>("templates")).templates,
    /** The path of a new notebook in a folder, on a connection or on a file of that folder. */
    create: async (
      template: string,
      folder: string,
      source: { connection: string } | { file: string },
    ) =>
      (
        await send<{ path: string }>(`templates/${encodeURIComponent(template)}/create`, {
          folder,
          ...source,
        })
      ).path,
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
  const failure = answer as Failure | null;
  if (failure?.error) return errorOf(failure);
  // The rest of the message is Jupyter's own.
  if (status === 404) return new RequestError("ServerMissing", strings.serverMissing);
  if (status === 401 || status === 403) return new RequestError("NotLoggedIn", strings.notLoggedIn);
  return new RequestError("ServerError", strings.serverFailed(status));
}

function errorOf({ error }: Failure): RequestError {
  const { type = "Error", message = "", faults = [] } = error ?? {};
  return new RequestError(type, message, faults);
}

function bytes(base64: string): DataView {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) found[at] = text.charCodeAt(at);
  return new DataView(found.buffer);
}
