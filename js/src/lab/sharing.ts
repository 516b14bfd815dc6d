/**
 * The packages that JupyterLab shares with its extensions through module federation: by name, then
 * by version, each with a loader. Only a part of the protocol: the extension uses the host's
 * copies, and shares nothing.
 */

interface Shared {
  get(): Promise<() => unknown>;
  /** Set when this version is loaded already. */
  loaded?: unknown;
}

export type ShareScope = Record<string, Record<string, Shared> | undefined>;

/** Loads a package of the host by its name; rejects if the host does not share it. */
export type Take = <T>(name: string) => Promise<T>;

export function sharedModules(scope: ShareScope): Take {
  return async <T>(name: string) => {
    const versions = Object.entries(scope[name] ?? {}).sort(([a], [b]) => compared(b, a));
    // Services are compared by identity, so this must be the copy that JupyterLab uses.
    const [, shared] = versions.find(([, { loaded }]) => loaded) ?? versions[0] ?? [];
    if (!shared) throw new Error(`audiencelab: this page shares no ${name}`);
    return (await shared.get())() as T;
  };
}

/** Semantic versions in order: 2.9.0 before 2.10.0, and 3.0.0-rc.1 before 3.0.0. */
function compared(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => /^([^+-]*)(-[^+]*)?/.exec(version));
  return (
    numerically(a?.[1], b?.[1]) || Number(!a?.[2]) - Number(!b?.[2]) || numerically(a?.[2], b?.[2])
  );
}

function numerically(one = "", other = ""): number {
  return one.localeCompare(other, "en", { numeric: true });
}
