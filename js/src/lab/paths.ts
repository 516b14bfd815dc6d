/** Paths of files in JupyterLab. */

/** A path as the server knows it, without the drive prefix that JupyterLab adds. */
export function folderOf(path: string | undefined): string {
  return (path ?? "").replace(/^[^/:]*:/, "");
}
