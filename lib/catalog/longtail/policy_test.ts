import assert from "node:assert/strict";
import { longTailEffects, needsConfirmation } from "./policy.ts";

const write = (service: string, methodId: string) => ({
  service,
  methodId,
  riskClass: "write" as const,
});

Deno.test("long tail policy: a verb is seen although the words of a name are run together", () => {
  for (
    const id of [
      "content.orders.cancellineitem",
      "content.orders.returnrefundlineitem",
      "androidpublisher.externaltransactions.refundexternaltransaction",
      "androidenterprise.products.unapprove",
    ]
  ) assert.ok(needsConfirmation(write("content", id)), id);
  for (
    const id of ["content.products.insert", "pagespeedonline.pagespeedapi.runpagespeed", "x.y.stop"]
  ) assert.ok(!needsConfirmation(write("content", id)), id);
});

Deno.test("long tail policy: what costs or gives back money says so", () => {
  const effects = (id: string) => longTailEffects({ ...write("content", id), cloud: false });
  assert.deepEqual(effects("content.orders.returnrefundlineitem"), ["moves_money"]);
  assert.deepEqual(effects("domains.projects.locations.registrations.renewDomain"), [
    "moves_money",
  ]);
  assert.deepEqual(effects("content.orders.updateshipment"), []);
});

Deno.test("long tail policy: taking a subscription or a binding away is confirmed", () => {
  for (const name of ["unsubscribe", "unsubscribeClients", "unbindDeviceFromGateway"]) {
    assert.ok(needsConfirmation(write("cloudiot", `cloudiot.things.${name}`)), name);
  }
  assert.ok(!needsConfirmation(write("cloudiot", "cloudiot.things.bindDeviceToGateway")));
});
