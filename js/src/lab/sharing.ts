/**
 * The packages that JupyterLab shares with its extensions, as module federation lays them out:
 * by name, then by version, each with a way to get it. Not all of module federation: of what is
 * shared we take the one copy JupyterLab itself runs, and share nothing in return.
 */

interface Shared {
  get(): Promise<() => unknown>;
  /** Set when somebody has taken this version already. */
  loaded?: unknown;
}

export type ShareScope = Record<string, Record<string, Shared> | undefined>;

/** Gets a package of the host by its name; fails where the host has none. */
export type Take = <T>(name: string) => Promise<T>;

export function taker(scope: ShareScope): Take {
  return async <T>(name: string) => {
    const versions = Object.entries(scope[name] ?? {}).sort(([a], [b]) => compared(b, a));
    // The services are compared by identity, so it must be the copy that JupyterLab itself takes.
    const [, shared] = versions.find(([, { loaded }]) => loaded) ?? versions[0] ?? [];
    if (!shared) throw new Error(`audiencelab: this page shares no ${name}`);
    return (await shared.get())() as T;
  };
}

/** Semantic versions in their order: 2.9.0 before 2.10.0, and 3.0.0-rc.1 before 3.0.0. */
function compared(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => /^([^+-]*)(-[^+]*)?/.exec(version));
  return (
    numerically(a?.[1], b?.[1]) || Number(!a?.[2]) - Number(!b?.[2]) || numerically(a?.[2], b?.[2])
  );
}

function numerically(one = "", other = ""): number {
  return one.localeCompare(other, "en", { numeric: true });
}
