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
    const versions = Object.values(scope[name] ?? {});
    // The services are compared by identity: a second copy would ask for services nobody offers.
    const shared = versions.find(({ loaded }) => loaded) ?? versions[0];
    if (!shared) throw new Error(`audiencelab: this page shares no ${name}`);
    return (await shared.get())() as T;
  };
}
