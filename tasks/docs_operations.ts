/** `docs/operations/`: one page a service, from the catalog. */

import { exampleCommand } from "../cli/describe_page.ts";
import { loadCatalog, operationArguments } from "../lib/catalog/mod.ts";
import type { Op } from "../lib/catalog/types.ts";

/** Every page by its path below `docs/`. */
export function operationPages(): Map<string, string> {
  const byService = new Map<string, Op[]>();
  for (const op of loadCatalog().ops) {
    byService.set(op.service, [...byService.get(op.service) ?? [], op]);
  }
  const services = [...byService].sort(([left], [right]) => left < right ? -1 : 1);
  const pages = new Map<string, string>();
  pages.set("operations/index.md", indexPage(services));
  for (const [service, ops] of services) {
    pages.set(`operations/${service}.md`, servicePage(service, ops));
  }
  return pages;
}

function indexPage(services: readonly [string, Op[]][]): string {
  const total = services.reduce((sum, [, ops]) => sum + ops.length, 0);
  return [
    "# Operations by service",
    "",
    `${total} operations are built in. \`gum search\` finds one by what it does, \`gum describe\` shows`,
    "its whole contract. Made from the catalog by `deno task docs`.",
    "",
    "| service | read | write | destructive |",
    "| --- | --- | --- | --- |",
    ...services.map(([service, ops]) => {
      const count = (risk: string) => ops.filter((op) => riskOf(op) === risk).length || "";
      return `| [${service}](${service}.md) | ${count("read")} | ${count("write")} | ${
        count("destructive")
      } |`;
    }),
    "",
  ].join("\n");
}

function servicePage(service: string, ops: readonly Op[]): string {
  return [
    `# ${service}`,
    "",
    "[All services](index.md). Made from the catalog by `deno task docs`.",
    "",
    "| operation | risk | what it does |",
    "| --- | --- | --- |",
    ...ops.map((op) =>
      `| [\`${op.op_id}\`](#${anchor(op.op_id)}) | ${riskOf(op)} | ${cell(op.summary)} |`
    ),
    "",
    ...ops.flatMap(operationSection),
  ].join("\n").trimEnd() + "\n";
}

function operationSection(op: Op): string[] {
  const variant = defaultOf(op);
  const args = operationArguments(op).toSorted((left, right) =>
    Number(right.required === true) - Number(left.required === true)
  );
  const scopes = variant?.scopes ?? [];
  return [
    `## ${op.op_id}`,
    "",
    cell(op.summary),
    "",
    "```sh",
    exampleCommand(op, riskOf(op)),
    "```",
    "",
    `Risk ${riskOf(op)}, auth \`${variant?.auth_strategy ?? "none"}\`${
      scopes.length === 0
        ? ""
        : `, scopes ${scopes.map((scope) => `\`${short(scope)}\``).join(", ")}`
    }.`,
    "",
    ...(args.length === 0 ? [] : [
      "| argument | type | |",
      "| --- | --- | --- |",
      ...args.map((argument) => {
        const preset = argument.host_default ?? argument.default;
        const required = argument.required === true && argument.host_default === undefined;
        return `| \`${argument.name}\`${required ? " (required)" : ""} | ${
          argument.type === "array" ? `${argument.item_type ?? "any"}[]` : argument.type
        }${argument.location === "body" ? ", body" : ""} | ${
          [
            cell(argument.description ?? ""),
            argument.enum === undefined
              ? ""
              : `One of ${argument.enum.slice(0, 12).map((choice) => `\`${choice}\``).join(", ")}${
                argument.enum.length > 12 ? ", …" : ""
              }.`,
            preset === undefined ? "" : `Default \`${preset}\`.`,
          ].filter((part) => part !== "").join(" ")
        } |`;
      }),
      "",
    ]),
  ];
}

function defaultOf(op: Op): Op["variants"][number] | undefined {
  return op.variants.find(({ variant_id }) => variant_id === op.default_variant_id) ??
    op.variants[0];
}

function riskOf(op: Op): string {
  return defaultOf(op)?.risk_class ?? "read";
}

function short(scope: string): string {
  return scope.replace("https://www.googleapis.com/auth/", "");
}

function anchor(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "");
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;").trim();
}
