/** Renderers of outputs. */
import type { LuminoWidget } from "./lumino";

/** One output: data by MIME type. */
export interface MimeModel {
  /** False for outputs of a notebook that the user has not run. */
  readonly trusted: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Writes into the notebook. */
  setData?(options: object): void;
}

/** An element that renders outputs of its type. */
export interface Renderer extends LuminoWidget {
  renderModel(model: MimeModel): Promise<void>;
}

/** The download URL of a file beside the notebook. */
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
    /** Whether it may render untrusted data. */
    safe: boolean;
    mimeTypes: readonly string[];
    createRenderer(options: { mimeType: string; resolver?: Resolver | null }): Renderer;
  };
  /** The renderer with the lowest rank is used; images have 90, HTML has 50. */
  rank: number;
}
