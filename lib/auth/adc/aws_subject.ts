/**
 * A machine at Amazon says who it is: a signed `GetCallerIdentity` request that Google's token
 * service sends on (Signature Version 4).
 */

import { sha256Hex } from "../../digest/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { AuthParts } from "../types.ts";
import { textField, unusableFile } from "./document.ts";
import { fetchText, sourceFailure } from "./subject_token.ts";

const SESSION_SECONDS = "300";

interface AwsKeys {
  id: string;
  secretKey: string;
  token: string | undefined;
}

/** The request, signed and serialised the way the token service expects it. */
export async function awsSubjectToken(
  parts: AuthParts,
  asked: { source: JsonObject; path: string; audience: string },
): Promise<string> {
  const { source, path, audience } = asked;
  if (source.environment_id !== "aws1") {
    throw unusableFile(path, "its environment_id is not aws1");
  }
  const template = textField(source, "regional_cred_verification_url");
  if (template === undefined) throw unusableFile(path, "it has no regional_cred_verification_url");
  const session = await sessionHeader(parts, asked);
  const region = await regionOf(parts, { ...asked, session });
  const keys = await keysOf(parts, { ...asked, session });
  const url = new URL(template.replaceAll("{region}", region));
  if (url.protocol !== "https:" || !/(^|\.)amazonaws\.com(\.cn)?$/.test(url.hostname)) {
    throw unusableFile(path, "its regional_cred_verification_url is not Amazon's");
  }
  const stamp = new Date(parts.clock.now()).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers: Record<string, string> = {
    host: url.host,
    "x-amz-date": stamp,
    "x-goog-cloud-target-resource": audience,
    ...(keys.token === undefined ? {} : { "x-amz-security-token": keys.token }),
  };
  const authorization = await signature({ url, headers, keys, region, stamp });
  return encodeURIComponent(JSON.stringify({
    url: url.href,
    method: "POST",
    headers: Object.entries({ ...headers, authorization })
      .map(([key, value]) => ({ key, value })),
  }));
}

/** Version 2 of the instance metadata wants a session first. */
async function sessionHeader(
  parts: AuthParts,
  asked: { source: JsonObject; path: string },
): Promise<Record<string, string>> {
  const address = textField(asked.source, "imdsv2_session_token_url");
  if (address === undefined) return {};
  const token = await fetchText(parts, {
    address,
    path: asked.path,
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": SESSION_SECONDS },
  });
  return { "x-aws-ec2-metadata-token": token.trim() };
}

interface MetadataQuestion {
  source: JsonObject;
  path: string;
  session: Record<string, string>;
}

async function regionOf(parts: AuthParts, asked: MetadataQuestion): Promise<string> {
  const given = parts.environment.text("AWS_REGION") ??
    parts.environment.text("AWS_DEFAULT_REGION");
  if (given !== undefined) return given;
  const address = textField(asked.source, "region_url");
  if (address === undefined) throw sourceFailure(asked.path, "no AWS region is known");
  const zone = await fetchText(parts, { address, headers: asked.session, path: asked.path });
  // A zone is its region and one letter.
  return zone.trim().slice(0, -1);
}

async function keysOf(parts: AuthParts, asked: MetadataQuestion): Promise<AwsKeys> {
  const { environment } = parts;
  const id = environment.text("AWS_ACCESS_KEY_ID");
  const secretKey = environment.text("AWS_SECRET_ACCESS_KEY");
  if (id !== undefined && secretKey !== undefined) {
    return { id, secretKey, token: environment.text("AWS_SESSION_TOKEN") };
  }
  const base = textField(asked.source, "url");
  if (base === undefined) throw sourceFailure(asked.path, "no AWS credentials are known");
  const ask = (address: string) =>
    fetchText(parts, { address, headers: asked.session, path: asked.path });
  const role = (await ask(base)).trim().split("\n")[0] ?? "";
  const answer: unknown = parsed(await ask(`${base}/${encodeURIComponent(role)}`));
  const fields = isJsonObject(answer) ? answer : {};
  const keyId = textField(fields, "AccessKeyId");
  const key = textField(fields, "SecretAccessKey");
  if (keyId === undefined || key === undefined) {
    throw sourceFailure(asked.path, "the instance metadata gave no credentials");
  }
  return { id: keyId, secretKey: key, token: textField(fields, "Token") };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It may hold a key, so it is not quoted.
    return undefined;
  }
}

/** Signature Version 4 of an empty POST. */
export async function signature(
  request: {
    url: URL;
    headers: Readonly<Record<string, string>>;
    keys: { id: string; secretKey: string };
    region: string;
    /** `YYYYMMDDThhmmssZ` */
    stamp: string;
  },
): Promise<string> {
  const { url, headers, keys, region, stamp } = request;
  const names = Object.keys(headers).sort();
  const signed = names.join(";");
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort().join("&");
  const canonical = [
    "POST",
    url.pathname,
    query,
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim()}`),
    "",
    signed,
    await sha256Hex(""),
  ].join("\n");
  const day = stamp.slice(0, 8);
  const scope = `${day}/${region}/sts/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", stamp, scope, await sha256Hex(canonical)].join("\n");
  let key: Uint8Array = new TextEncoder().encode(`AWS4${keys.secretKey}`);
  for (const part of [day, region, "sts", "aws4_request"]) key = await mac(key, part);
  const value = (await mac(key, text)).toHex();
  return `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${signed}, ` +
    `Signature=${value}`;
}

async function mac(key: Uint8Array, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes));
}
