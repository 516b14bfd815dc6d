/** A style sheet is imported for its effect: esbuild gathers them all into widget.css. */
declare module "*.css";
