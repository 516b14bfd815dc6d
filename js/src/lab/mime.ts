/** The renderers of the extension: what it draws of a cell's output. */
import { vegaExtension } from "./charts/renderer";
import type { Lumino, MimeExtension } from "./jupyter";
import { crosstabExtension } from "./saved/renderer";
import type { Take } from "./sharing";

export default async function renderers(take: Take): Promise<MimeExtension[]> {
  const lumino = await take<Lumino>("@lumino/widgets");
  return [vegaExtension(lumino), crosstabExtension(lumino)];
}
