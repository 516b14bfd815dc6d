/**
 * The host of one view: what every component needs from outside, and how a component is mounted and
 * unmounted. A widget that contains others opens a host for each of them, so that the same
 * components render them within its view.
 */
import "./theme.css";
import type { AnyModel } from "@anywidget/types";
import { effect, signal } from "@preact/signals";
import { type ComponentType, createContext, render } from "preact";
import { useContext } from "preact/hooks";
import { findModel, openPort } from "../core/channel";
import { childLifetime, observeSize, onAbort } from "../core/lifetime";
import { type Asking, Requests } from "../core/requests";
import { bindTrait, type Refused, type Trait } from "../core/traits";
import { leaveComposition } from "./keyboard";
import { freeze, offerEdits } from "./restart";
import { Status } from "./Status";
import { dress } from "./sheets";
import { followTheme } from "./theme";

/** The traits and operations of a widget by name, see `protocol`. */
export interface WidgetShape extends Asking {
  traits: object;
}

export interface WidgetHost<W extends WidgetShape = WidgetShape> {
  /** Ends when the view is closed. */
  readonly lifetime: AbortSignal;
  /** The root element of the widget; popovers are inside it. */
  readonly root: HTMLElement;
  readonly requests: Requests<W>;
  /** A trait of the state model as a signal; always the same object for a name. */
  trait<N extends keyof W["traits"] & string>(name: N): Trait<W["traits"][N]>;
  /**
   * State shared by all views of this model in the page, such as undo; created by the first view.
   */
  shared<T>(name: string, make: () => T): T;
  /** Announces a sentence through the view's polite live region. */
  announce(sentence: string): void;
  /** The host of another model, by its reference, that is rendered into `root` as a part of this view. */
  open<P extends WidgetShape>(reference: string, root: HTMLElement): Promise<WidgetHost<P>>;
}

export type WidgetComponent<W extends WidgetShape = WidgetShape> = ComponentType<{
  host: WidgetHost<W>;
}>;

const Host = createContext<WidgetHost | null>(null);

/** The host of the view that contains a component. */
export function useHost<W extends WidgetShape = WidgetShape>(): WidgetHost<W> {
  const host = useContext(Host);
  if (!host) throw new Error("useHost is for components inside a mounted widget");
  return host as WidgetHost<W>;
}

/** A widget with its host around it. */
export function Hosted<W extends WidgetShape>({
  host,
  widget: Widget,
}: {
  host: WidgetHost<W>;
  widget: WidgetComponent<W>;
}) {
  return (
    <Host.Provider value={host}>
      <Widget host={host} />
    </Host.Provider>
  );
}

export interface MountOptions {
  model: AnyModel;
  el: HTMLElement;
  /** The accessible name of the whole widget. */
  label: string;
  /**
   * Set outside of notebooks, where single letters are not host shortcuts and need no protection.
   */
  hostKeys?: boolean;
  /** Ends the view, as the returned function does. */
  signal?: AbortSignal | undefined;
  /** Called once when what the kernel had to answer first is on screen, or is late. */
  onDrawn?: () => void;
}

/** Mounts a component in `el`; returns the function that unmounts it. */
export function mount<W extends WidgetShape>(
  Widget: WidgetComponent<W>,
  options: MountOptions,
): () => void {
  const controller = options.signal ? childLifetime(options.signal) : new AbortController();
  const lifetime = controller.signal;
  const root = options.el.ownerDocument.createElement("div");
  root.className = "audiencelab";
  // UI text is English and tables run from left to right; names in right-to-left scripts are
  // isolated.
  root.dir = "ltr";
  if (!options.hostKeys) keepKeys(root, lifetime);
  leaveComposition(root, lifetime);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", options.label);
  options.el.append(root);
  dress(root);
  followTheme(root, lifetime);
  root.addEventListener("keydown", (event) => leaveOnEscape(event, root), { signal: lifetime });

  const spoken = signal("");
  const refused = signal<Refused | null>(null);
  const traits = new Map<string, Trait<unknown>>();
  const host = createHost<W>(options.model, {
    root,
    lifetime,
    announce: (sentence) => {
      // Repeated text must be announced again.
      spoken.value = spoken.peek() === sentence ? `${sentence}\u00a0` : sentence;
    },
    onRefused: (edit) => {
      refused.value = edit;
    },
    onBound: (name, trait) => {
      traits.set(name, trait);
      offerEdits(root, traits, refused);
    },
  });
  const LiveRegion = () => (
    <div class="al-sr-only" role="status" aria-live="polite">
      {spoken.value}
    </div>
  );
  render(
    <>
      <Hosted host={host} widget={Widget} />
      <Status status={host.requests.status} root={root} refused={refused} />
      <LiveRegion />
    </>,
    root,
  );
  host.requests.prime();
  if (options.onDrawn) whenSettled(host, options.onDrawn);
  // A host may render a view before it puts it into its cell.
  observeSize(root, lifetime, () => offerEdits(root, traits, refused));
  const { status } = host.requests;
  const stop = effect(() => {
    if (status.value === "gone") freeze(root, traits, lifetime);
  });
  onAbort(lifetime, () => {
    stop();
    render(null, root);
    root.remove();
  });
  return () => controller.abort();
}

/** Milliseconds without a request that end the first ones, and after which they are late. */
const QUIET = 40;
const LATE = 1_500;

function whenSettled({ requests, lifetime }: WidgetHost, report: () => void): void {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const late = setTimeout(end, LATE);
  const stop = effect(() => {
    clearTimeout(quiet);
    const { value } = requests.status;
    if (value === "idle" || value === "gone") quiet = setTimeout(end, QUIET);
  });
  onAbort(lifetime, end);
  function end() {
    stop();
    clearTimeout(late);
    clearTimeout(quiet);
    report();
  }
}

/** By widget manager, since a page may have several; then by channel, of which a model has one. */
const shared = new WeakMap<object, Map<string, unknown>>();

/** What the hosts of one view share. */
interface View extends Pick<WidgetHost, "lifetime" | "root" | "announce"> {
  onRefused(edit: Refused | null): void;
  /** A trait is used for the first time; `name` says of which kind of widget, too. */
  onBound(name: string, trait: Trait<unknown>): void;
}

function createHost<W extends WidgetShape>(model: AnyModel, view: View): WidgetHost<W> {
  const { lifetime, root, announce, onRefused } = view;
  const traits = new Map<string, Trait<unknown>>();
  return {
    lifetime,
    root,
    announce,
    requests: new Requests(openPort(model, lifetime), { signal: lifetime }),
    trait<N extends keyof W["traits"] & string>(name: N) {
      const known = traits.get(name) ?? bindTrait<unknown>(model, name, lifetime, onRefused);
      if (!traits.has(name)) {
        traits.set(name, known);
        view.onBound(`${model.get("kind")}.${name}`, known);
      }
      return known as Trait<W["traits"][N]>;
    },
    shared<T>(name: string, make: () => T) {
      const { widget_manager: manager } = model;
      const values = shared.get(manager) ?? new Map<string, unknown>();
      shared.set(manager, values);
      const key = `${model.get("_channel")} ${name}`;
      if (!values.has(key)) values.set(key, make());
      return values.get(key) as T;
    },
    async open<P extends WidgetShape>(reference: string, within: HTMLElement) {
      const held = await findModel(model, reference);
      const host = createHost<P>(held, { ...view, root: within });
      host.requests.prime();
      return host;
    },
  };
}

/**
 * JupyterLab uses single letters as commands: D D deletes cells. To find a command, it searches
 * from the focused element upwards for a marked element, and some of its selectors match any
 * focused element: so the focused element itself is marked, and not only the root.
 */
function keepKeys(root: HTMLElement, signal: AbortSignal): void {
  root.dataset.lmSuppressShortcuts = "true";
  root.addEventListener(
    "focusin",
    ({ target }) => {
      if (target instanceof HTMLElement) target.dataset.lmSuppressShortcuts = "true";
    },
    { signal },
  );
}

/**
 * Escape returns the focus to the notebook, unless a part of the widget handles it. Such parts call
 * preventDefault or stopPropagation.
 */
function leaveOnEscape(event: KeyboardEvent, root: HTMLElement): void {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.preventDefault();
  const outside = root.closest<HTMLElement>(".jp-Notebook");
  const scope = root.getRootNode() as Document | ShadowRoot;
  if (scope.activeElement instanceof HTMLElement) scope.activeElement.blur();
  outside?.focus({ preventScroll: true });
}
