/** Which operations get derived fields, and from what. */

import type { JsonObject } from "../../json/mod.ts";
import { aclFields, annotateEvent, annotateEvents } from "./calendar.ts";
import { annotateObject, annotateRows, type Annotator, type Derived } from "./derive.ts";
import { annotateDocument } from "./documents.ts";
import { annotateDraft, annotateMessage, annotateThread } from "./mail.ts";
import {
  annotateDistances,
  channelFields,
  geocodeFields,
  mediaItemFields,
  placeFields,
  playlistFields,
  playlistItemFields,
  searchResultFields,
  subscriptionFields,
  videoFields,
} from "./media_rows.ts";
import { annotatePresentation } from "./slides.ts";
import { annotateSpreadsheet } from "./spreadsheets.ts";
import {
  activityFields,
  analyticsFields,
  annotateFiles,
  chatMemberFields,
  chatMessageFields,
  contactFields,
  courseWorkFields,
  deploymentFields,
  directoryUserFields,
  draftFields,
  formResponseFields,
  foundContactFields,
  historyFields,
  identityGroupFields,
  identityMemberFields,
  meetFileFields,
  questionsOf,
  rosterFields,
  usageFields,
} from "./workspace_rows.ts";

const rowsOf = (rows: string, derive: (record: JsonObject) => Derived): Annotator => (body) =>
  annotateRows(body, { rows, derive });
const itself = (derive: (record: JsonObject) => Derived): Annotator => (body) =>
  annotateObject(body, derive);

/** Annotators by operation. */
export const ANNOTATORS: Readonly<Record<string, Annotator>> = {
  "admin.directory.users.get": itself(directoryUserFields),
  "admin.directory.users.list": rowsOf("users", directoryUserFields),
  "adminreports.activities.list": rowsOf("items", activityFields),
  "adminreports.customerUsageReports.get": rowsOf("usageReports", usageFields),
  "adminreports.entityUsageReports.get": rowsOf("usageReports", usageFields),
  "adminreports.userUsageReport.get": rowsOf("usageReports", usageFields),
  "calendar.acl.get": itself(aclFields),
  "calendar.acl.list": rowsOf("items", aclFields),
  "calendar.events.get": annotateEvent,
  "calendar.events.instances": annotateEvents,
  "calendar.events.list": annotateEvents,
  "chat.spaces.members.list": rowsOf("memberships", chatMemberFields),
  "chat.spaces.messages.get": itself(chatMessageFields),
  "chat.spaces.messages.list": rowsOf("messages", chatMessageFields),
  "classroom.courses.courseWork.get": itself(courseWorkFields),
  "classroom.courses.courseWork.list": rowsOf("courseWork", courseWorkFields),
  "classroom.courses.students.list": rowsOf("students", rosterFields),
  "cloudidentity.groups.get": itself(identityGroupFields),
  "cloudidentity.groups.list": rowsOf("groups", identityGroupFields),
  "cloudidentity.groups.memberships.get": itself(identityMemberFields),
  "cloudidentity.groups.memberships.list": rowsOf("memberships", identityMemberFields),
  "docs.documents.get": annotateDocument,
  "drive.files.list": annotateFiles,
  "forms.forms.get": itself(questionsOf),
  "forms.forms.responses.get": itself(formResponseFields),
  "forms.forms.responses.list": rowsOf("responses", formResponseFields),
  "gmail.users.drafts.get": annotateDraft,
  "gmail.users.drafts.list": rowsOf("drafts", draftFields),
  "gmail.users.history.list": rowsOf("history", historyFields),
  "gmail.users.messages.get": annotateMessage,
  "gmail.users.threads.get": annotateThread,
  "maps.distancematrix.get": annotateDistances,
  "maps.geocoding.geocode": rowsOf("results", geocodeFields),
  "meet.conferenceRecords.recordings.list": rowsOf("recordings", meetFileFields),
  "meet.conferenceRecords.transcripts.list": rowsOf("transcripts", meetFileFields),
  "people.connections.list": rowsOf("connections", contactFields),
  "people.people.get": itself(contactFields),
  "people.people.searchContacts": rowsOf("results", foundContactFields),
  "photoslibrary.mediaItems.get": itself(mediaItemFields),
  "photoslibrary.mediaItems.list": rowsOf("mediaItems", mediaItemFields),
  "photoslibrary.mediaItems.search": rowsOf("mediaItems", mediaItemFields),
  "places.searchNearby": rowsOf("places", placeFields),
  "places.searchText": rowsOf("places", placeFields),
  "script.projects.deployments.list": rowsOf("deployments", deploymentFields),
  "searchconsole.searchanalytics.query": (body, args) =>
    annotateRows(body, {
      rows: "rows",
      derive: (row) => analyticsFields(row, dimensionsOf(args)),
    }),
  "sheets.spreadsheets.get": annotateSpreadsheet,
  "slides.presentations.get": annotatePresentation,
  "youtube.channels.list": rowsOf("items", channelFields),
  "youtube.playlistItems.list": rowsOf("items", playlistItemFields),
  "youtube.playlists.list": rowsOf("items", playlistFields),
  "youtube.search.list": rowsOf("items", searchResultFields),
  "youtube.subscriptions.list": rowsOf("items", subscriptionFields),
  "youtube.videos.list": rowsOf("items", videoFields),
};

/** Dimensions of a search analytics query, in the order of its keys. */
function dimensionsOf(args: JsonObject): string[] {
  return [args.dimensions ?? []].flat().filter((name) => typeof name === "string");
}
