import assert from "node:assert/strict";
import fc from "fast-check";
import type { PlacedOperation } from "../methods.ts";
import type { Renames } from "../types.ts";
import { followRenames } from "./renames.ts";

function placed(opId: string, address: string, more: Partial<PlacedOperation> = {}) {
  const service = opId.slice(0, opId.indexOf("."));
  return { opId, service, httpMethod: "GET", address, request: "", response: "Lamp", ...more };
}

const lamps = placed("lamp.lamps.list", "lamp.googleapis.com/v1/lamps");
const lights = placed("lamp.lights.list", "lamp.googleapis.com/v1/lamps");

Deno.test("renames: an operation that took another's place answers to its id for ninety days", () => {
  const first = followRenames({ operations: [lamps], renames: {} }, {
    now: [lights],
    revision: "20260101",
  });
  assert.deepEqual(first, { "lamp.lamps.list": { to: "lamp.lights.list", since: "20260101" } });
  const later = (revision: string) =>
    followRenames({ operations: [lights], renames: first }, { now: [lights], revision });
  assert.deepEqual(later("20260331"), first);
  assert.deepEqual(later("20260401"), {});
});

Deno.test("renames: a successor that is renamed in its turn takes the older ids along", () => {
  const bulbs = placed("lamp.bulbs.list", lamps.address);
  const first = followRenames({ operations: [lamps], renames: {} }, {
    now: [lights],
    revision: "20260101",
  });
  const second = followRenames({ operations: [lights], renames: first }, {
    now: [bulbs],
    revision: "20260201",
  });
  assert.deepEqual(second, {
    "lamp.lamps.list": { to: "lamp.bulbs.list", since: "20260101" },
    "lamp.lights.list": { to: "lamp.bulbs.list", since: "20260201" },
  });
});

Deno.test("renames: a place that several share, another method or another answer say nothing", () => {
  const generic = "lamp.googleapis.com/v1/{+name}";
  const cases: [PlacedOperation[], PlacedOperation[]][] = [
    [[placed("lamp.a.get", generic), placed("lamp.b.get", generic)], [
      placed("lamp.c.get", generic),
    ]],
    [[placed("lamp.a.get", generic)], [
      placed("lamp.c.get", generic),
      placed("lamp.d.get", generic),
    ]],
    [[lamps], [placed("lamp.lights.list", lamps.address, { httpMethod: "DELETE" })]],
    [[lamps], [placed("lamp.lights.list", lamps.address, { response: "Shade" })]],
    [[lamps], [placed("torch.lights.list", lamps.address)]],
  ];
  for (const [operations, now] of cases) {
    const revision = "20260101";
    assert.deepEqual(followRenames({ operations, renames: {} }, { now, revision }), {});
  }
});

Deno.test("renames: an old id never hides a live one and always leads to one", () => {
  const ids = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 6 });
  const packs = fc.array(
    fc.tuple(ids, fc.integer({ min: 1, max: 9 })),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(fc.property(packs, (history) => {
    let renames: Renames = {};
    let operations: PlacedOperation[] = [];
    for (const [step, [names, shift]] of history.entries()) {
      const now = names.map((name, at) =>
        placed(`lamp.${name}.get`, `lamp.googleapis.com/v1/${(at + shift) % 5}`)
      );
      renames = followRenames({ operations, renames }, { now, revision: `20260${step + 1}15` });
      const live = new Set(now.map(({ opId }) => opId));
      for (const [old, { to }] of Object.entries(renames)) {
        assert.ok(!live.has(old) && live.has(to), `${old} -> ${to}`);
      }
      operations = now;
    }
  }));
});
