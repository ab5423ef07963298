import assert from "node:assert/strict";
import type { Variant } from "../../catalog/types.ts";
import type { VariableName } from "../../config/environment.ts";
import { findGumError, type GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { type AuthWorld, openWorld, scope } from "../testdata/auth_world.ts";
import { serviceAccountKey } from "../testdata/service_account.ts";
import { signature } from "./aws_subject.ts";

const AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/" +
  "providers/x";
const EXTERNAL: JsonObject = {
  type: "external_account",
  audience: AUDIENCE,
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
};
const ROBOT = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" +
  "robot@p.iam.example.com:generateAccessToken";
const SUBJECT = "subject-token-of-the-host";

// Only what the resolver reads of a variant.
const VARIANT = {
  variant_id: "gmail.users.labels.list.v1",
  auth_strategy: "adc",
  scopes: [scope("gmail.readonly")],
} as unknown as Variant;

interface Host {
  world: AuthWorld;
  folder: string;
  resolve(): Promise<string>;
  refusal(): Promise<GumError>;
  /** The form or JSON of every request to a path, in order. */
  sent(path: string): Record<string, unknown>[];
}

async function onHost(
  made: { document: JsonObject; environment?: Partial<Record<VariableName, string>> },
  run: (host: Host) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-adc-" });
  const text = JSON.stringify(made.document).replaceAll("$FOLDER", folder);
  await Deno.writeTextFile(`${folder}/adc.json`, text);
  await using world = await openWorld({
    registered: false,
    environment: {
      GUM_USE_ADC: "1",
      PATH: Deno.env.get("PATH") ?? "",
      GOOGLE_APPLICATION_CREDENTIALS: `${folder}/adc.json`,
      ...made.environment,
    },
  });
  const ask = () =>
    world.resolver.resolve(
      { opId: "gmail.users.labels.list", variant: VARIANT, args: {} },
      world.signal,
    );
  const host: Host = {
    world,
    folder,
    async resolve() {
      const found = await ask();
      assert.equal(found?.signInStrategy, "adc");
      return found?.token?.reveal() ?? assert.fail("no token");
    },
    async refusal() {
      try {
        await ask();
      } catch (error) {
        return findGumError(error) ?? assert.fail(String(error));
      }
      return assert.fail("a token was given");
    },
    sent: (path) =>
      world.emulator.journal.filter((entry) => entry.path === path).map(({ bodyText = "" }) =>
        bodyText.startsWith("{")
          ? JSON.parse(bodyText)
          : Object.fromEntries(new URLSearchParams(bodyText))
      ),
  };
  try {
    await run(host);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function callsGmail(host: Host, token: string): Promise<number> {
  const url = new URL("https://gmail.googleapis.com/gmail/v1/users/me/labels");
  const answer = await host.world.http.send({
    method: "GET",
    url,
    headers: { authorization: `Bearer ${token}` },
    credentialed: true,
  }, host.world.signal);
  return answer.status;
}

Deno.test("ADC federation: the token of a file, as text and as JSON, is exchanged for a working one", async () => {
  for (
    const [content, format] of [
      [`${SUBJECT}\n`, undefined],
      [JSON.stringify({ t: SUBJECT }), { type: "json", subject_token_field_name: "t" }],
    ] as const
  ) {
    const credential_source: JsonObject = { file: "$FOLDER/token" };
    if (format !== undefined) credential_source.format = { ...format };
    await onHost({ document: { ...EXTERNAL, credential_source } }, async (host) => {
      await Deno.writeTextFile(`${host.folder}/token`, content);
      host.world.emulator.identity.switches = { subjectTokens: [SUBJECT] };
      const token = await host.resolve();
      assert.equal(await host.resolve(), token, "kept in memory");
      assert.equal(await callsGmail(host, token), 200);
      const [form, ...more] = host.sent("/v1/token");
      assert.equal(more.length, 0);
      assert.deepEqual(form, {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        audience: AUDIENCE,
        scope: scope("gmail.readonly"),
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
        subject_token: SUBJECT,
        subject_token_type: EXTERNAL.subject_token_type,
      });
    });
  }
});

Deno.test("ADC federation: a token from an address, with its headers, and a service account behind it", async () => {
  const document = {
    ...EXTERNAL,
    service_account_impersonation_url: ROBOT,
    credential_source: {
      url: "http://169.254.169.254/metadata/identity/oauth2/token?resource=x",
      headers: { Metadata: "True" },
      format: { type: "json", subject_token_field_name: "access_token" },
    },
  };
  await onHost({ document }, async (host) => {
    const token = await host.resolve();
    assert.equal(await callsGmail(host, token), 200);
    assert.equal(host.sent("/v1/token")[0]?.subject_token, "emulated-azure-identity");
    assert.equal(
      host.sent("/v1/token")[0]?.scope,
      "https://www.googleapis.com/auth/cloud-platform",
      "the wide token only ever speaks for the service account",
    );
    assert.deepEqual(host.sent(new URL(ROBOT).pathname)[0], {
      scope: [scope("gmail.readonly")],
      lifetime: "3600s",
    });
    host.world.emulator.identity.switches = { impersonationDenied: true };
    const other = await openWorld({
      beside: host.world,
      profileName: "other",
      registered: false,
      environment: {
        GUM_USE_ADC: "1",
        GOOGLE_APPLICATION_CREDENTIALS: `${host.folder}/adc.json`,
      },
    });
    await using _ = other;
    await assert.rejects(
      other.resolver.resolve({ opId: "x", variant: VARIANT, args: {} }, other.signal),
      /may not be impersonated/,
    );
  });
});

Deno.test("ADC federation: a program runs only after the opt-in, without a shell, with Google's variables", async () => {
  const program = `#!/bin/sh
echo "$GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE|$2|$GUM_VAULT_KEY" >> "$1"
printf '{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"${SUBJECT}"}'
`;
  const document = {
    ...EXTERNAL,
    credential_source: {
      executable: { command: '$FOLDER/program $FOLDER/seen "two words; $(id)"' },
    },
  };
  await onHost({ document }, async (host) => {
    const error = await host.refusal();
    assert.match(error.userMessage, /GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1/);
    assert.equal(host.sent("/v1/token").length, 0);
  });
  const environment = { GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES: "1" } as const;
  await onHost({ document, environment }, async (host) => {
    await Deno.writeTextFile(`${host.folder}/program`, program, { mode: 0o700 });
    await host.resolve();
    assert.equal(host.sent("/v1/token")[0]?.subject_token, SUBJECT);
    assert.equal(
      await Deno.readTextFile(`${host.folder}/seen`),
      `${AUDIENCE}|two words; $(id)|\n`,
    );
  });
});

Deno.test("ADC federation: a program's kept answer is used while it holds; failures never quote a token", async () => {
  const executable = { command: "$FOLDER/program", output_file: "$FOLDER/kept" };
  const document = { ...EXTERNAL, credential_source: { executable } };
  const environment = { GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES: "1" } as const;
  const answer = { version: 1, success: true, id_token: SUBJECT };
  await onHost({ document, environment }, async (host) => {
    const missing = await host.refusal();
    assert.match(missing.message, /exit code|not there/);
    const write = (changes: JsonObject) =>
      Deno.writeTextFile(`${host.folder}/kept`, JSON.stringify({ ...answer, ...changes }));
    await write({ expiration_time: Math.floor(Date.now() / 1000) - 1 });
    await host.refusal();
    await write({ expiration_time: Math.floor(Date.now() / 1000) + 600 });
    await host.resolve();
  });
  const outputs: [string, RegExp][] = [
    [`{"version":1,"success":false,"code":"401","message":"no"}`, /reports a failure: 401 no/],
    [`{"version":2,"success":true,"id_token":"${SUBJECT}"}`, /unknown version/],
    [`{"version":1,"success":true}`, /gave no token/],
    [`{"version":1,"success":true,"id_token":"${SUBJECT}","expiration_time":1}`, /has expired/],
    [`${SUBJECT} is not JSON`, /something other than a JSON object/],
  ];
  for (const [output, expected] of outputs) {
    await onHost({ document, environment }, async (host) => {
      const text = `#!/bin/sh\nprintf '%s' '${output}'\n`;
      await Deno.writeTextFile(`${host.folder}/program`, text, { mode: 0o700 });
      const error = await host.refusal();
      assert.match(error.message, expected);
      assert.ok(!JSON.stringify(error.toEnvelope()).includes(SUBJECT));
    });
  }
});

Deno.test("ADC federation: a machine at Amazon signs who it is", async () => {
  const document = {
    ...EXTERNAL,
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    credential_source: {
      environment_id: "aws1",
      region_url: "http://169.254.169.254/latest/meta-data/placement/availability-zone",
      url: "http://169.254.169.254/latest/meta-data/iam/security-credentials",
      regional_cred_verification_url:
        "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
      imdsv2_session_token_url: "http://169.254.169.254/latest/api/token",
    },
  };
  await onHost({ document }, async (host) => {
    await host.resolve();
    const told = JSON.parse(
      decodeURIComponent(String(host.sent("/v1/token")[0]?.subject_token)),
    );
    assert.equal(
      told.url,
      "https://sts.us-east-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
    );
    const names = told.headers.map(({ key }: { key: string }) => key);
    assert.deepEqual(names.sort(), [
      "authorization",
      "host",
      "x-amz-date",
      "x-amz-security-token",
      "x-goog-cloud-target-resource",
    ]);
  });
  // The expected value is what Google's own Python library signs.
  const url = new URL(
    "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
  );
  const signed = await signature({
    url,
    headers: {
      host: url.host,
      "x-amz-date": "20260519T143000Z",
      "x-amz-security-token": "emulated-aws-session",
      "x-goog-cloud-target-resource":
        "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/aws",
    },
    keys: { id: "EMULATEDKEYID", secretKey: "emulated-aws-secret" },
    region: "us-east-2",
    stamp: "20260519T143000Z",
  });
  assert.match(
    signed,
    /Signature=a4f887dc4cbe94d376d3b5bcff52dfba81029c6851329aa3c78dc5f96b0e348e$/,
  );
});

Deno.test("ADC federation: a workforce user's file renews with its own client", async () => {
  const document = {
    type: "external_account_authorized_user",
    audience: "//iam.googleapis.com/locations/global/workforcePools/p/providers/x",
    client_id: "workforce-client",
    client_secret: "workforce-secret",
    refresh_token: "workforce-refresh",
    token_url: "https://sts.googleapis.com/v1/oauthtoken",
    quota_project_id: "quota-p",
  };
  await onHost({ document }, async (host) => {
    await host.resolve();
    assert.deepEqual(host.sent("/v1/oauthtoken"), [
      { grant_type: "refresh_token", refresh_token: "workforce-refresh" },
    ]);
    const entry = host.world.emulator.journal.find(({ path }) => path === "/v1/oauthtoken");
    assert.equal(
      atob(entry?.headers.authorization?.replace("Basic ", "") ?? ""),
      "workforce-client:workforce-secret",
    );
  });
});

Deno.test("ADC impersonation: a user's or an account's own token becomes the service account's", async () => {
  const key: unknown = JSON.parse(await serviceAccountKey());
  assert.ok(isJsonObject(key));
  const document = {
    type: "impersonated_service_account",
    service_account_impersonation_url: ROBOT,
    delegates: ["projects/-/serviceAccounts/middle@p.iam.example.com"],
    source_credentials: key,
  };
  await onHost({ document }, async (host) => {
    const token = await host.resolve();
    assert.equal(await callsGmail(host, token), 200);
    assert.deepEqual(host.sent(new URL(ROBOT).pathname)[0], {
      scope: [scope("gmail.readonly")],
      lifetime: "3600s",
      delegates: document.delegates,
    });
  });
  await onHost({ document }, async (host) => {
    host.world.emulator.addFault({
      match: { path: new URL(ROBOT).pathname },
      times: 10,
      effect: { kind: "drop_before_headers" },
    });
    const error = await host.refusal();
    assert.equal(error.code, "SERVICE_DOWN");
    assert.equal(error.details.source_error_code, "ADC_TOKEN_FETCH_FAILED");
  });
  const nested = { ...document, source_credentials: document };
  await onHost({ document: nested }, async (host) => {
    assert.match((await host.refusal()).message, /impersonate as well/);
    assert.equal(host.world.emulator.journal.length, 0);
  });
});

Deno.test("ADC federation: no credential goes to an address that is not Google's; an outage is no refusal", async () => {
  const credential_source = { file: "$FOLDER/token" };
  const foreign: JsonObject[] = [
    { ...EXTERNAL, credential_source, token_url: "https://sts.example.com/v1/token" },
    { ...EXTERNAL, credential_source, service_account_impersonation_url: "https://x.example/" },
    { ...EXTERNAL, credential_source: { url: "http://tokens.example.com/" } },
    { ...EXTERNAL, credential_source: {} },
    {
      type: "impersonated_service_account",
      service_account_impersonation_url: "https://googleapis.com.example/x",
      source_credentials: { type: "authorized_user", refresh_token: SUBJECT },
    },
  ];
  for (const document of foreign) {
    await onHost({ document }, async (host) => {
      await Deno.writeTextFile(`${host.folder}/token`, SUBJECT);
      const error = await host.refusal();
      assert.equal(error.code, "AUTH_REQUIRED");
      assert.equal(error.details.source_error_code, "ADC_TOKEN_FETCH_FAILED");
      assert.equal(host.world.emulator.journal.length, 0);
    });
  }
  await onHost({ document: { ...EXTERNAL, credential_source } }, async (host) => {
    await Deno.writeTextFile(`${host.folder}/token`, SUBJECT);
    host.world.emulator.addFault({
      match: { path: "/v1/token" },
      effect: { kind: "status", status: 503 },
    });
    assert.equal((await host.refusal()).code, "SERVICE_DOWN");
    host.world.emulator.identity.switches = { subjectTokens: ["another"] };
    const refused = await host.refusal();
    assert.equal(refused.code, "AUTH_REQUIRED");
    assert.match(refused.userMessage, /workload identity pool/);
    assert.ok(!JSON.stringify(refused.toEnvelope()).includes(SUBJECT));
  });
});
