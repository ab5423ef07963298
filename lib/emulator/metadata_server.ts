/** The metadata server that virtual machines ask for credentials (spec 05 §3.11). */

import type { EmulatedAccount } from "./credentials.ts";
import { foreignMetadata } from "./federation.ts";
import { plain } from "./identity_answers.ts";
import type { IdentityCall, IdentitySwitches } from "./identity.ts";
import type { EmulatedAnswer } from "./service.ts";

const METADATA_ACCOUNT = "emulated-runner@emulated-project.iam.example.com";

/** What the metadata server is served from. */
export interface MetadataSource {
  switches: IdentitySwitches;
  account: EmulatedAccount | undefined;
  issue(input: { account: EmulatedAccount; scopes: readonly string[]; expiresAt: number }): string;
}

/** Answers one request to the metadata server. */
export function answerMetadata(call: IdentityCall, source: MetadataSource): EmulatedAnswer {
  if (source.switches.metadataDown) return plain(503, "unavailable");
  const foreign = foreignMetadata(call);
  if (foreign !== undefined) return foreign;
  const headers: Record<string, string> = source.switches.metadataFlavorMissing
    ? {}
    : { "metadata-flavor": "Google" };
  if (call.path !== "/" && call.headers.get("metadata-flavor") !== "Google") {
    return { ...plain(403, "Missing Metadata-Flavor:Google header."), headers };
  }
  const account = source.account;
  const base = "/computeMetadata/v1/";
  const identity = /^instance\/service-accounts\/[^/]+\/(email|token|scopes|identity)$/.exec(
    call.path.startsWith(base) ? call.path.slice(base.length) : "",
  )?.[1];
  if (identity === "email") return { ...plain(200, METADATA_ACCOUNT), headers };
  if (identity === "scopes") {
    return { ...plain(200, "https://www.googleapis.com/auth/cloud-platform\n"), headers };
  }
  if (identity === "token" && account !== undefined) {
    const scopes = (call.query.get("scopes") ?? "https://www.googleapis.com/auth/cloud-platform")
      .split(",");
    const expiresIn = source.switches.expiresIn ?? 3599;
    const token = source.issue({ account, scopes, expiresAt: call.now + expiresIn * 1000 });
    return {
      headers,
      body: { access_token: token, expires_in: expiresIn, token_type: "Bearer" },
    };
  }
  if (call.path === `${base}project/project-id`) {
    return { ...plain(200, "emulated-project"), headers };
  }
  if (call.path === "/" || call.path === base) {
    return { ...plain(200, "computeMetadata/\n"), headers };
  }
  return { ...plain(404, "not found"), headers };
}
