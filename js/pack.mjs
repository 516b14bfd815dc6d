// Packs the bundle: a module of one line that inflates the real one and imports it.
//
// Jupyter sends the module as text inside every widget's first message and keeps it in every
// notebook saved with widget state, and neither is compressed on the way. Deflated and written
// in base64 it is less than half as large. A default export that is a function is anywidget's
// own way to load late.
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";

/** The module to ship for minified code. */
export function pack(code) {
  const packed = deflateRawSync(Buffer.from(code), { level: 9 }).toString("base64");
  return `const packed=${JSON.stringify(packed)};${loader}`;
}

const loader = `export default async()=>{
const bytes=Uint8Array.from(atob(packed),c=>c.charCodeAt(0));
const inflated=new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
const url=URL.createObjectURL(new Blob([await new Response(inflated).text()],{type:"text/javascript"}));
try{return(await import(url)).default}finally{URL.revokeObjectURL(url)}};
`;
