/** Flat fields for Gmail lists, Drive, People, Chat, Classroom, Forms, Admin and Apps Script. */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../../json/mod.ts";
import {
  type AnnotatedBody,
  annotateRows,
  at,
  type Derived,
  joined,
  objectOf,
  objectsOf,
  scalarAt,
  textOf,
} from "./derive.ts";

/** A draft in a list: ids of its message. */
export function draftFields(draft: JsonObject): Derived {
  return {
    message_id: scalarAt(draft, "message.id"),
    thread_id: scalarAt(draft, "message.threadId"),
  };
}

/** One step of mailbox history: message ids, with the labels behind them where labels changed. */
export function historyFields(step: JsonObject): Derived {
  const changes = (key: string) =>
    joined(
      objectsOf(step[key]).map((change) => {
        const id = textOf(at(change, "message.id"));
        const labels = Array.isArray(change.labelIds)
          ? change.labelIds.filter((label) => typeof label === "string").join("+")
          : "";
        // Labels without their message would be read as one.
        return id === undefined ? undefined : joined([id, labels], ":");
      }),
      " ",
    );
  return {
    added: changes("messagesAdded"),
    deleted: changes("messagesDeleted"),
    labels_added: changes("labelsAdded"),
    labels_removed: changes("labelsRemoved"),
  };
}

/** `Name <address>`. */
function personText(person: JsonObject): string | undefined {
  const name = textOf(person.displayName);
  const address = textOf(person.emailAddress);
  return name !== undefined && address !== undefined ? `${name} <${address}>` : name ?? address;
}

/** A file in a list: owners and folders on one line. */
function fileFields(file: JsonObject): Derived {
  return {
    link: linkTemplate(file) === undefined ? textOf(file.webViewLink) : undefined,
    owner: joined(objectsOf(file.owners).map(personText)),
    folder: Array.isArray(file.parents)
      ? joined(file.parents.filter((id) => typeof id === "string"), " ")
      : undefined,
  };
}

/** The link of a file with `{id}` for its id; undefined when the link does not follow from the id. */
function linkTemplate(file: JsonObject): string | undefined {
  const [id, link] = [textOf(file.id), textOf(file.webViewLink)];
  if (id === undefined || link === undefined || textOf(file.mimeType) === undefined) {
    return undefined;
  }
  const [before, after, ...more] = link.split(id);
  return after === undefined || more.length > 0 ? undefined : `${before}{id}${after}`;
}

/**
 * A list of files. A link is its file's id between words that its type decides: the words are said
 * once for each type, as `links`, and a file whose link does not follow from them keeps its own.
 */
export function annotateFiles(body: JsonObject): AnnotatedBody | undefined {
  if (Object.hasOwn(body, "links")) {
    const derive = (file: JsonObject) => ({ ...fileFields(file), link: textOf(file.webViewLink) });
    return annotateRows(body, { rows: "files", derive });
  }
  const links: Record<string, string> = {};
  const own: JsonObject[] = [];
  for (const file of objectsOf(body.files)) {
    const template = linkTemplate(file);
    const type = textOf(file.mimeType);
    if (template === undefined || type === undefined) continue;
    if ((links[type] ??= template) !== template) own.push(file);
  }
  // Most kinds of file have the same words; `*` stands for all that are not named.
  const shared = Object.entries(links).filter(([, template]) => template.includes("/file/d/"));
  if (shared.length > 1 && new Set(shared.map(([, template]) => template)).size === 1) {
    for (const [type, template] of shared) {
      delete links[type];
      links["*"] = template;
    }
  }
  const rows = annotateRows(body, {
    rows: "files",
    derive: (file) => ({
      ...fileFields(file),
      ...(own.includes(file) ? { link: textOf(file.webViewLink) } : {}),
    }),
  });
  if (Object.keys(links).length === 0) return rows;
  // Rows without anything of their own still need the words of their links.
  const annotated = isJsonObject(rows?.body) ? rows.body : body;
  const template = (file: JsonObject) =>
    linkTemplate(file) === undefined || own.includes(file)
      ? undefined
      : Object.hasOwn(links, String(file.mimeType))
      ? String(file.mimeType)
      : "*";
  const needs = new Map(objectsOf(body.files).map((file) => [textOf(file.id), template(file)]));
  return {
    body: { ...annotated, links },
    addedPaths: [...rows?.addedPaths ?? [], "links"],
    settle: (shaped) => withNeededLinks(shaped, needs),
  };
}

/** Words for links that no shown file needs would only cost their reader. */
function withNeededLinks(
  shaped: JsonValue,
  needs: ReadonlyMap<string | undefined, string | undefined>,
): JsonValue {
  if (!isJsonObject(shaped) || !isJsonObject(shaped.links)) return shaped;
  const files = objectsOf(shaped.files);
  // Without its id a file cannot be told from another, and its link cannot be made either.
  const needed = new Set(files.map((file) => needs.get(textOf(file.id))));
  const links = Object.entries(shaped.links).filter(([type]) => needed.has(type));
  const { links: _all, ...rest } = shaped;
  return links.length === 0 ? rest : { ...shaped, links: Object.fromEntries(links) };
}

/** A contact: each kind of address with its label behind it. */
export function contactFields(person: JsonObject): Derived {
  const labelled = (key: string) =>
    joined(
      objectsOf(person[key]).map((entry) => {
        const value = textOf(entry.value) ?? textOf(entry.formattedValue)?.replaceAll("\n", ", ");
        const type = textOf(entry.type);
        return value === undefined || type === undefined ? value : `${value} (${type})`;
      }),
    );
  const [first] = objectsOf(person.names);
  return {
    name: textOf(first?.displayName),
    emails: labelled("emailAddresses"),
    phones: labelled("phoneNumbers"),
    postal: labelled("addresses"),
    company: joined(objectsOf(person.organizations).map((entry) => textOf(entry.name))),
    job: joined(objectsOf(person.organizations).map((entry) => textOf(entry.title))),
    birthday: joined(
      objectsOf(person.birthdays).map((entry) => dayText(entry.date) ?? textOf(entry.text)),
    ),
  };
}

/** A hit of the contact search. */
export function foundContactFields(result: JsonObject): Derived {
  const person = objectOf(result.person);
  return { contact: scalarAt(person, "resourceName"), ...contactFields(person) };
}

/** `2026-05-22`, `--05-22` without a year, as ISO 8601 and vCard write it. */
function dayText(date: JsonValue | undefined): string | undefined {
  if (!isJsonObject(date) || typeof date.month !== "number" || typeof date.day !== "number") {
    return undefined;
  }
  // A zero stands for what is not known: a month alone, or a year alone, is no day.
  if (!(date.month >= 1 && date.day >= 1)) return undefined;
  const year = typeof date.year === "number" && date.year > 0
    ? String(date.year).padStart(4, "0")
    : "-";
  return `${year}-${twoDigits(date.month)}-${twoDigits(date.day)}`;
}

function twoDigits(value: JsonValue | undefined): string {
  return String(typeof value === "number" ? value : 0).padStart(2, "0");
}

/** A chat message. */
export function chatMessageFields(message: JsonObject): Derived {
  const files = [...objectsOf(message.attachment), ...objectsOf(message.attachments)];
  return {
    sender_name: scalarAt(message, "sender.displayName"),
    sender_id: scalarAt(message, "sender.name"),
    sender_type: scalarAt(message, "sender.type"),
    thread_name: scalarAt(message, "thread.name"),
    files: joined(files.map((file) => textOf(file.contentName) ?? textOf(file.name))),
    reactions: joined(
      objectsOf(message.emojiReactionSummaries).map(reactionText),
    ),
  };
}

/** A picture and how many gave it; an emoji of the organisation's own has a name in its place. */
function reactionText(summary: JsonObject): string | undefined {
  const count = scalarAt(summary, "reactionCount");
  const emoji = textOf(at(summary, "emoji.unicode")) ??
    textOf(at(summary, "emoji.customEmoji.emojiName")) ??
    textOf(at(summary, "emoji.customEmoji.uid"));
  return count === undefined ? emoji : `${emoji ?? "?"} ${count}`;
}

/** A member of a chat space, person or group. */
export function chatMemberFields(membership: JsonObject): Derived {
  return {
    member_id: scalarAt(membership, "member.name") ?? scalarAt(membership, "groupMember.name"),
    member_name: scalarAt(membership, "member.displayName"),
    member_type: scalarAt(membership, "member.type"),
  };
}

/** Course work: when it is due, in UTC as Classroom keeps it. */
export function courseWorkFields(work: JsonObject): Derived {
  const day = dayText(work.dueDate);
  if (day === undefined) return {};
  // Midnight is all zeros, which are not sent: a time without members is one all the same.
  if (!isJsonObject(work.dueTime)) return { due: day };
  const time = work.dueTime;
  const seconds = typeof time.seconds === "number" ? `:${twoDigits(time.seconds)}` : "";
  return { due: `${day}T${twoDigits(time.hours)}:${twoDigits(time.minutes)}${seconds}Z` };
}

/** A student or a teacher. */
export function rosterFields(entry: JsonObject): Derived {
  return {
    full_name: scalarAt(entry, "profile.name.fullName"),
    email: scalarAt(entry, "profile.emailAddress"),
  };
}

/** A response to a form: the answers by question id. */
export function formResponseFields(response: JsonObject): Derived {
  const given: JsonObject = {};
  for (const [id, answer] of Object.entries(objectOf(response.answers))) {
    const texts = objectsOf(at(objectOf(answer), "textAnswers.answers"))
      .flatMap((entry) => textOf(entry.value) ?? []);
    const files = objectsOf(at(objectOf(answer), "fileUploadAnswers.answers"))
      .flatMap((entry) => textOf(entry.fileId) ?? []);
    const values = [...texts, ...files];
    if (values.length > 0) setOwn(given, id, values.length === 1 ? values[0] as string : values);
  }
  return Object.keys(given).length === 0 ? {} : { given };
}

/** The questions of a form, one row each; a grid gives a row for each of its questions. */
export function questionsOf(form: JsonObject): Derived {
  const questions = objectsOf(form.items).flatMap((item): JsonObject[] => {
    const base: JsonObject = {};
    for (const [name, value] of [["item_id", item.itemId], ["title", item.title]] as const) {
      if (textOf(value) !== undefined) base[name] = value as string;
    }
    const single = at(item, "questionItem.question");
    const group = objectsOf(at(item, "questionGroupItem.questions"));
    const found = isJsonObject(single) ? [single] : group;
    if (found.length === 0) return [{ ...base, kind: itemKind(item) }];
    const columns = optionsOf(objectOf(at(item, "questionGroupItem.grid.columns")));
    return found.map((question) => questionRow(base, { question, columns }));
  });
  return questions.length === 0 ? {} : { questions };
}

function questionRow(
  base: JsonObject,
  found: { question: JsonObject; columns: string | undefined },
): JsonObject {
  const { question } = found;
  const kindKey = Object.keys(question).find((key) => key.endsWith("Question")) ?? "question";
  const choice = objectOf(question.choiceQuestion);
  const row = textOf(at(question, "rowQuestion.title"));
  const options = optionsOf(choice) ?? found.columns;
  return {
    ...base,
    ...(textOf(question.questionId) !== undefined &&
      { question_id: question.questionId as string }),
    ...(row !== undefined && { row }),
    kind: textOf(choice.type) ?? kindKey.replace(/Question$/, ""),
    ...(question.required === true && { required: true }),
    ...(options !== undefined && { options }),
  };
}

function optionsOf(choice: JsonObject): string | undefined {
  return joined(
    objectsOf(choice.options).map((option) =>
      textOf(option.value) ?? (option.isOther === true ? "(other)" : undefined)
    ),
    " / ",
  );
}

function itemKind(item: JsonObject): string {
  const kind = ["pageBreakItem", "textItem", "imageItem", "videoItem"].find((key) => key in item);
  return kind?.replace(/Item$/, "") ?? "item";
}

/** A user of the directory. */
export function directoryUserFields(user: JsonObject): Derived {
  return { full_name: scalarAt(user, "name.fullName") };
}

/** An entry of the audit log: when, who, and what with its parameters. */
export function activityFields(activity: JsonObject): Derived {
  return {
    time: scalarAt(activity, "id.time"),
    application: scalarAt(activity, "id.applicationName"),
    entry_id: scalarAt(activity, "id.uniqueQualifier"),
    actor_email: scalarAt(activity, "actor.email") ?? scalarAt(activity, "actor.key"),
    what: joined(objectsOf(activity.events).map(eventText)),
  };
}

function eventText(event: JsonObject): string | undefined {
  const parameters = objectsOf(event.parameters).map((parameter) =>
    `${textOf(parameter.name) ?? "?"}=${parameterText(parameter)}`
  );
  return joined([
    textOf(event.name),
    textOf(event.type) === undefined ? undefined : `(${event.type})`,
    ...parameters,
  ], " ");
}

function parameterText(parameter: JsonObject): string {
  const value = parameterValue(parameter);
  return typeof value === "string" && !/[\s;"]/.test(value) ? value : JSON.stringify(value);
}

function parameterValue(parameter: JsonObject): JsonValue {
  for (const [key, value] of Object.entries(parameter)) {
    if (/value$/i.test(key) && !(Array.isArray(value) && value.length === 0)) return value;
  }
  return null;
}

/** A usage report: whose, and the figures by name. */
export function usageFields(report: JsonObject): Derived {
  const measures: JsonObject = {};
  for (const parameter of objectsOf(report.parameters)) {
    const name = textOf(parameter.name);
    if (name !== undefined) setOwn(measures, name, parameterValue(parameter));
  }
  return {
    entity_type: scalarAt(report, "entity.type"),
    entity_id: scalarAt(report, "entity.entityId") ?? scalarAt(report, "entity.customerId"),
    user_email: scalarAt(report, "entity.userEmail"),
    ...(Object.keys(measures).length > 0 && { measures }),
  };
}

/** A group of Cloud Identity. */
export function identityGroupFields(group: JsonObject): Derived {
  return { email: scalarAt(group, "groupKey.id") };
}

/** A membership of Cloud Identity. */
export function identityMemberFields(membership: JsonObject): Derived {
  return {
    member: scalarAt(membership, "preferredMemberKey.id") ?? scalarAt(membership, "memberKey.id"),
    role_names: joined(objectsOf(membership.roles).map((role) => textOf(role.name)), " "),
  };
}

/** A deployment of a script. */
export function deploymentFields(deployment: JsonObject): Derived {
  return {
    version: scalarAt(deployment, "deploymentConfig.versionNumber"),
    description: scalarAt(deployment, "deploymentConfig.description"),
    url: joined(
      objectsOf(deployment.entryPoints).map((entry) => textOf(at(entry, "webApp.url"))),
      " ",
    ),
  };
}

/** A recording or a transcript: the file it was written to. */
export function meetFileFields(record: JsonObject): Derived {
  return {
    file: scalarAt(record, "driveDestination.file") ?? scalarAt(record, "docsDestination.document"),
    link: scalarAt(record, "driveDestination.exportUri") ??
      scalarAt(record, "docsDestination.exportUri"),
  };
}

/** A row of search analytics: each key under its dimension's name. */
export function analyticsFields(row: JsonObject, dimensions: readonly string[]): Derived {
  const keys = Array.isArray(row.keys) ? row.keys : [];
  return Object.fromEntries(
    keys.map((key, index) => [dimensions[index] ?? `key_${index + 1}`, key]),
  );
}
