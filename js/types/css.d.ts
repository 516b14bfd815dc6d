/**
 * A style sheet. The components of widgets import theirs for its effect, which is in every root that
 * holds a widget; parts of the extension import theirs as a text.
 */
declare module "*.css" {
  const style: string;
  export default style;
}
