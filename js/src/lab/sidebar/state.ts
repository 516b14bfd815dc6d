/**
 * The state of the sidebar: the connections, the selected one, its status, and the selection of
 * each. Commands read it too, even if the sidebar has never been opened.
 */
import type { AnyModel } from "@anywidget/types";
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Selection } from "../../catalogue/selection";
import type { ArgsOf } from "../../core/requests";
import { stubModel } from "../../core/stubModel";
import type {
  ConnectionCheck,
  ConnectionRecord,
  FolderSurvey,
  SidebarWidget,
} from "../../protocol";
import type { Server, SidebarOperation } from "../server";
import type { Kind, Snippet } from "../snippets";
import { remember, remembered, type Section } from "./memory";

/** Data loaded from the server. */
export type Loaded<T> =
  | { is: "loading" }
  | { is: "failed"; message: string }
  | { is: "ready"; value: T };

export type Checked = ConnectionCheck | "checking";

/** The check of a connection that nothing is known of. */
const UNKNOWN: ConnectionCheck = {
  ...{ status: "broken", message: "" },
  ...{ namespaces: 0, questions: 0, waves: 0, milliseconds: 0 },
};

export function isCheck(checked: Checked | null): checked is ConnectionCheck {
  return checked !== null && checked !== "checking";
}

interface SidebarInputs {
  server: Server;
  /** The connection in the user's settings, if any. */
  preferred: ReadonlySignal<string>;
  storage: Storage | undefined;
}

export type SidebarState = ReturnType<typeof createSidebarState>;

export function createSidebarState({ server, preferred, storage }: SidebarInputs) {
  const before = remembered(storage);
  const listed = signal<Loaded<ConnectionRecord[]>>({ is: "loading" });
  const problems = signal<readonly string[]>([]);
  const chosen = signal("");
  const checks = signal<Readonly<Record<string, Checked>>>({});
  const section = signal<Section>(before.section ?? "catalogue");
  const surveys = signal<Loaded<readonly FolderSurvey[]>>({ is: "loading" });
  const selections = signal<Readonly<Record<string, Selection>>>({});
  const models = new Map<string, AnyModel>();
  /** Connections whose last request failed. */
  const silent = new Set<string>();
  /**
   * How often each of them became reachable again; its content is then rendered again.
   */
  const revived = signal<Readonly<Record<string, number>>>({});
  /** Surveys that were opened by path, without a configuration. */
  const opened = new Map<string, { path: string; connection: ConnectionRecord }>();
  /** The latest load, finished or running. */
  let loading: Promise<void> | undefined;

  const connection = computed(() => {
    const all = listed.value;
    if (all.is !== "ready") return null;
    return all.value.find(({ name }) => name === chosen.value) ?? null;
  });
  const checked = computed<Checked | null>(() => checks.value[chosen.value] ?? null);
  const picked = computed<Selection>(() => selections.value[chosen.value] ?? []);

  function note(): void {
    const connection = chosen.peek();
    const survey = opened.get(connection)?.path ?? "";
    remember(storage, { connection, section: section.peek(), survey });
  }

  /** Loads the connections; keeps the selected one, if it still exists. */
  function load(): Promise<void> {
    loading = loadListed();
    return loading;
  }

  async function loadListed(): Promise<void> {
    if (listed.peek().is !== "ready") listed.value = { is: "loading" };
    try {
      const { connections: named, default: first, problems: found } = await server.connections();
      problems.value = found;
      await openAgain();
      const own = [...opened.values()].map(({ connection }) => connection);
      const connections = [
        ...named,
        ...own.filter(({ name }) => !named.some((each) => each.name === name)),
      ];
      const has = (name: string | undefined) => connections.some((each) => each.name === name);
      const wanted = [chosen.peek(), preferred.peek(), before.connection, first];
      const next = wanted.find((name) => name && has(name)) ?? connections[0]?.name ?? "";
      listed.value = { is: "ready", value: connections };
      checks.value = {};
      chosen.value = next;
      if (next) void check();
    } catch (error) {
      listed.value = failed(error);
    }
  }

  /** Opens the survey that was open when the page was left, if it still exists. */
  async function openAgain(): Promise<void> {
    const { survey } = before;
    if (!survey || opened.size > 0) return;
    const connection = await server.openSurvey(survey).catch(() => null);
    if (connection) opened.set(connection.name, { path: survey, connection });
  }

  function choose(name: string): void {
    if (name === chosen.peek()) return;
    chosen.value = name;
    note();
    if (!checks.peek()[name]) void check();
  }

  /** Checks whether the selected connection is reachable. */
  async function check(): Promise<ConnectionCheck | null> {
    const name = chosen.peek();
    if (!name) return null;
    checks.value = { ...checks.peek(), [name]: "checking" };
    const found = await server
      .check(name)
      .catch((error: Error): ConnectionCheck => ({ ...UNKNOWN, message: error.message }));
    checks.value = { ...checks.peek(), [name]: found };
    if (found.status !== "ready") silent.add(name);
    else if (silent.delete(name)) {
      revived.value = { ...revived.peek(), [name]: (revived.peek()[name] ?? 0) + 1 };
    }
    return found;
  }

  /** Opens a survey of the server's folder as a connection. */
  async function openSurvey(path: string): Promise<void> {
    const connection = await server.openSurvey(path);
    const { name } = connection;
    opened.set(name, { path, connection });
    const all = listed.peek();
    const others = all.is === "ready" ? all.value.filter((each) => each.name !== name) : [];
    listed.value = { is: "ready", value: [...others, connection] };
    choose(name);
  }

  async function loadSurveys(): Promise<void> {
    surveys.value = { is: "loading" };
    try {
      surveys.value = { is: "ready", value: await server.surveys() };
    } catch (error) {
      surveys.value = failed(error);
    }
  }

  /** The model on which the picker shows the catalogue of a connection. */
  function modelOf(name: string): AnyModel {
    const known = models.get(name);
    if (known) return known;
    const traits = { kind: "picker", mode: "datapoints", selection: [], _channel: "channel" };
    const model = stubModel(traits, (op, args, lifetime) => server.pass(name, op, args, lifetime));
    model.on("change:selection", () => {
      selections.value = { ...selections.peek(), [name]: model.get("selection") as Selection };
    });
    models.set(name, model);
    return model;
  }

  // A user who changes the setting expects to see its effect.
  let first = true;
  effect(() => {
    const name = preferred.value;
    const all = first ? null : listed.peek();
    first = false;
    if (all?.is === "ready" && all.value.some((each) => each.name === name)) choose(name);
  });

  return {
    listed,
    problems,
    connection,
    checked,
    section,
    surveys,
    picked,
    revived,
    load,
    /** Loads data once, at first use; again after a failure. */
    ready: () => (listed.peek().is === "failed" || !loading ? load() : loading),
    choose,
    check,
    openSurvey,
    loadSurveys,
    modelOf,
    show(next: Section): void {
      section.value = next;
      note();
    },
    /** The selected questions as a snippet; null for none. */
    pickedPiece(kind: Kind, label: string): Snippet | null {
      const now = connection.peek();
      const selection = picked.peek();
      return now && selection.length ? { kind, label, connection: now, selection } : null;
    },
    ask: <O extends SidebarOperation>(
      op: O,
      args: ArgsOf<SidebarWidget, O>,
      lifetime?: AbortSignal,
    ) => server.ask(chosen.peek(), op, args, lifetime),
  };
}

function failed(error: unknown): { is: "failed"; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  return { is: "failed", message };
}
