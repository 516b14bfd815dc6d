/** Lumino, JupyterLab's toolkit: widgets, commands, drag and drop. */

/**
 * Identifies a service of the application; compared by identity, so it must be the host's object.
 */
export type Token = object;

/** An object with an element on the page. */
export interface LuminoWidget {
  readonly node: HTMLElement;
  readonly isDisposed: boolean;
  dispose(): void;
}

/** The base class of our own widgets. */
export interface OpenLuminoWidget extends LuminoWidget {
  id: string;
  readonly title: { label: string; caption: string; icon: unknown };
  readonly isVisible: boolean;
  addClass(name: string): void;
  onAfterShow(message: object): void;
  onAfterAttach(message: object): void;
  onActivateRequest(message: object): void;
}

/** `@lumino/widgets` */
export interface Lumino {
  Widget: new (options?: { node?: HTMLElement }) => OpenLuminoWidget;
}

export interface CommandOptions {
  execute(args: CommandArguments): unknown;
  label: string | ((args: CommandArguments) => string);
  caption?: string | ((args: CommandArguments) => string);
  icon?: object | ((args: CommandArguments) => object);
  isVisible?: (args: CommandArguments) => boolean;
  describedBy?: { args: object };
}

export type CommandArguments = Readonly<Record<string, unknown>>;

/** `CommandRegistry` of `@lumino/commands` */
export interface CommandRegistry {
  addCommand(id: string, options: CommandOptions): LuminoDisposable;
  execute(id: string, args?: CommandArguments): Promise<unknown>;
}

export interface LuminoDisposable {
  dispose(): void;
}

/** A signal of `@lumino/signaling`. */
export interface LuminoSignal<Sender, Value> {
  connect(slot: (sender: Sender, value: Value) => void): boolean;
  disconnect(slot: (sender: Sender, value: Value) => void): boolean;
}

/** `@lumino/coreutils` */
export interface LuminoCore {
  MimeData: new () => { setData(type: string, data: unknown): void };
  /** Unlike the browser's own, it also works on pages over plain HTTP. */
  UUID: { uuid4(): string };
}

/** A drag inside the page, at an element that it is over. */
export interface LuminoDragEvent extends Event {
  readonly mimeData: { hasData(type: string): boolean; getData(type: string): unknown };
  readonly proposedAction: DropAction;
  dropAction: DropAction;
}

export type DropAction = "none" | "copy" | "move" | "link";

/** `@lumino/dragdrop` */
export interface LuminoDragging {
  Drag: new (options: {
    mimeData: object;
    dragImage: HTMLElement;
    supportedActions: "copy";
    proposedAction: "copy";
    source: unknown;
  }) => { start(x: number, y: number): Promise<DropAction> };
}
