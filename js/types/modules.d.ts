/** The modules of the documentation's widgets by name, as texts: see build.mjs. */
declare module "audiencelab:modules" {
  const modules: Readonly<Record<string, string>>;
  export default modules;
}
