/** The widgets' style sheet as a text: see build-live.mjs. */
declare module "audiencelab:style" {
  const style: string;
  export default style;
}
