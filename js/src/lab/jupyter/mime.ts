/** Renderers of outputs. */
import type { LuminoWidget } from "./lumino";

/** One output: data by MIME type. */
export interface MimeModel {
  /** False for outputs of a notebook that its reader has not run. */
  readonly trusted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Writes into the notebook. */
  setData?(options: object): void;
}

/** A place on the page that draws outputs of its type. */
export interface Renderer extends LuminoWidget {
  renderModel(model: MimeModel): Promise<void>;
}

/** Turns the address of a file beside the notebook into one that can be fetched. */
export interface Resolver {
  resolveUrl(address: string): Promise<string>;
  getDownloadUrl(path: string): Promise<string>;
  isLocal?(address: string): boolean;
}

export interface MimeExtension {
  id: string;
  description: string;
  dataType: "json";
  rendererFactory: {
    /** Whether it may draw what comes from others and has not been trusted. */
    safe: boolean;
    mimeTypes: readonly string[];
    createRenderer(options: { mimeType: string; resolver?: Resolver | null }): Renderer;
  };
  /** The lowest of those that can draw an output draws it; images have 90, HTML has 50. */
  rank: number;
}
