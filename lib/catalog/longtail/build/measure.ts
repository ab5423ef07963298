import { zipMembers } from "../../../../catalog/wheel.ts";
import { selectMethods } from "./select.ts";
import { packMethods, packSchemas } from "./chunks.ts";
import { deflateRawSync, brotliCompressSync } from "node:zlib";
const members = zipMembers(Deno.readFileSync("/tmp/gapi/google_api_python_client-2.202.0-py3-none-any.whl")).filter((m) => /documents\/.*\.json$/.test(m.name) && !m.name.endsWith("index.json"));
const docs = [];
for (const m of members) docs.push(JSON.parse(new TextDecoder().decode(await m.read())));
console.log(docs.length, performance.now());
const { selected, counts } = selectMethods(docs, { curated: [], curatedOpIds: new Set(), exclude: [] });
console.log(selected.length, counts, performance.now());
const by = new Map<string, typeof selected>();
for (const s of selected) by.set(s.service, [...by.get(s.service) ?? [], s]);
let raw = 0, comp = 0, br = 0, n = 0, big = 0;
let sraw = 0, scomp = 0, sbig=0;
for (const [svc, list] of by) {
  for (const c of packMethods(list, { risk: () => undefined })) {
    const t = new TextEncoder().encode(JSON.stringify(c)); n++; raw += t.length; comp += deflateRawSync(t, { level: 9 }).length; br += brotliCompressSync(t).length; big = Math.max(big, t.length);
  }
  for (const d of new Set(list.map((x) => x.document))) {
    const t = new TextEncoder().encode(JSON.stringify(packSchemas(d, list.filter((x) => x.document === d)))); sraw += t.length; const z=deflateRawSync(t, { level: 9 }).length; scomp += z; if (t.length>sbig) {sbig=t.length; console.log(svc,sbig,z);}
  }
}
console.log({ n, raw, comp, br, big, sraw, scomp, services: by.size });
